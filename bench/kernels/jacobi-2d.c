/* jacobi-2d: a five-point stencil in a plane, from A to B and back in each step. */
#include "harness.h"

#ifndef TSTEPS
#define TSTEPS SIZE(20, 40, 100, 500)
#endif
#ifndef N
#define N SIZE(30, 90, 250, 1300)
#endif
CONSTANTS(tsteps = TSTEPS, n = N)
#define SIZES int tsteps, int n
#define ARRAYS MAT(double, A, n, n), MAT(double, B, n, n)
#define A(i, j) AT2(A, i, j, n)
#define B(i, j) AT2(B, i, j, n)

STORE2(double, A, N, N)
STORE2(double, B, N, N)

FUNCTION(init)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A(i, j) = input(i, j);
            B(i, j) = input(i, j + 1);
        }
}

KERNEL()
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                B(i, j) = 0.2 * (A(i, j) + A(i, j - 1) + A(i, j + 1) + A(i + 1, j) + A(i - 1, j));
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A(i, j) = 0.2 * (B(i, j) + B(i, j - 1) + B(i, j + 1) + B(i + 1, j) + B(i - 1, j));
    }
}

FUNCTION(dump)
{
    OUTPUT(A, n * n);
    OUTPUT(B, n * n);
}

MAIN((TSTEPS, N), (A, B), ())
