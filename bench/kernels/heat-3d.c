/* heat-3d: the heat equation in space by a seven-point stencil, from A to B and back in each step. */
#include "harness.h"

#ifndef TSTEPS
#define TSTEPS SIZE(20, 40, 100, 500)
#endif
#ifndef N
#define N SIZE(10, 20, 40, 120)
#endif
CONSTANTS(tsteps = TSTEPS, n = N)
#define SIZES int tsteps, int n
#define ARRAYS CUBE(double, A, n, n, n), CUBE(double, B, n, n, n)
#define A(i, j, k) AT3(A, i, j, k, n, n)
#define B(i, j, k) AT3(B, i, j, k, n, n)

STORE3(double, A, N, N, N)
STORE3(double, B, N, N, N)

FUNCTION(init)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                A(i, j, k) = B(i, j, k) = input(i + 3 * k, j + k);
}

KERNEL()
{
    for (int t = 1; t <= tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    B(i, j, k) = 0.125 * (A(i + 1, j, k) - 2.0 * A(i, j, k) + A(i - 1, j, k)) +
                                 0.125 * (A(i, j + 1, k) - 2.0 * A(i, j, k) + A(i, j - 1, k)) +
                                 0.125 * (A(i, j, k + 1) - 2.0 * A(i, j, k) + A(i, j, k - 1)) + A(i, j, k);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    A(i, j, k) = 0.125 * (B(i + 1, j, k) - 2.0 * B(i, j, k) + B(i - 1, j, k)) +
                                 0.125 * (B(i, j + 1, k) - 2.0 * B(i, j, k) + B(i, j - 1, k)) +
                                 0.125 * (B(i, j, k + 1) - 2.0 * B(i, j, k) + B(i, j, k - 1)) + B(i, j, k);
    }
}

FUNCTION(dump)
{
    OUTPUT(A, n * n * n);
    OUTPUT(B, n * n * n);
}

MAIN((TSTEPS, N), (A, B), ())
