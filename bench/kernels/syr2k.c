/* syr2k: C := alpha * (A * transpose(B) + B * transpose(A)) + beta * C in the lower triangle. */
#include "harness.h"

#ifndef M
#define M SIZE(20, 60, 200, 1000)
#endif
#ifndef N
#define N SIZE(30, 80, 240, 1200)
#endif
CONSTANTS(m = M, n = N)
#define SIZES int m, int n
#define ARRAYS MAT(double, C, n, n), MAT(double, A, n, m), MAT(double, B, n, m)
#define C(i, j) AT2(C, i, j, n)
#define A(i, k) AT2(A, i, k, m)
#define B(i, k) AT2(B, i, k, m)

STORE2(double, C, N, N)
STORE2(double, A, N, M)
STORE2(double, B, N, M)

FUNCTION(init)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) {
            A(i, k) = input(i, k);
            B(i, k) = input(i + 2, k + 1);
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C(i, j) = input(i + 3, j);
}

KERNEL(double alpha, double beta)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            C(i, j) *= beta;
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                C(i, j) += A(j, k) * alpha * B(i, k) + B(j, k) * alpha * A(i, k);
    }
}

FUNCTION(dump) { OUTPUT(C, n * n); }

MAIN((M, N), (C, A, B), (1.5, 1.2))
