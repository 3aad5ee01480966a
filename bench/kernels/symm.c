/* symm: C := alpha * A * B + beta * C with a symmetric A, of which the lower triangle is stored. */
#include "harness.h"

#ifndef M
#define M SIZE(20, 60, 200, 1000)
#endif
#ifndef N
#define N SIZE(30, 80, 240, 1200)
#endif
CONSTANTS(m = M, n = N)
#define SIZES int m, int n
#define ARRAYS MAT(double, C, m, n), MAT(double, A, m, m), MAT(double, B, m, n)
#define C(i, j) AT2(C, i, j, n)
#define A(i, k) AT2(A, i, k, m)
#define B(i, j) AT2(B, i, j, n)

STORE2(double, C, M, N)
STORE2(double, A, M, M)
STORE2(double, B, M, N)

FUNCTION(init)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            C(i, j) = input(i, j);
            B(i, j) = input(i + 1, j + 1);
        }
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++)
            A(i, k) = k <= i ? input(i, k + 2) : -999.0;
}

KERNEL(double alpha, double beta)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < i; k++) {
                C(k, j) += alpha * B(i, j) * A(i, k);
                sum += B(k, j) * A(i, k);
            }
            C(i, j) = beta * C(i, j) + alpha * B(i, j) * A(i, i) + alpha * sum;
        }
}

FUNCTION(dump) { OUTPUT(C, m * n); }

MAIN((M, N), (C, A, B), (1.5, 1.2))
