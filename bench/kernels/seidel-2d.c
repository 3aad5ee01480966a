/* seidel-2d: Gauss-Seidel relaxation, a nine-point average in place. */
#include "harness.h"

#ifndef TSTEPS
#define TSTEPS SIZE(20, 40, 100, 500)
#endif
#ifndef N
#define N SIZE(40, 120, 400, 2000)
#endif
CONSTANTS(tsteps = TSTEPS, n = N)
#define SIZES int tsteps, int n
#define ARRAYS MAT(double, A, n, n)
#define A(i, j) AT2(A, i, j, n)

STORE2(double, A, N, N)

FUNCTION(init)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A(i, j) = input(i, j);
}

KERNEL()
{
    for (int t = 0; t <= tsteps - 1; t++)
        for (int i = 1; i <= n - 2; i++)
            for (int j = 1; j <= n - 2; j++)
                A(i, j) = (A(i - 1, j - 1) + A(i - 1, j) + A(i - 1, j + 1) + A(i, j - 1) + A(i, j) + A(i, j + 1) +
                           A(i + 1, j - 1) + A(i + 1, j) + A(i + 1, j + 1)) /
                          9.0;
}

FUNCTION(dump) { OUTPUT(A, n * n); }

MAIN((TSTEPS, N), (A), ())
