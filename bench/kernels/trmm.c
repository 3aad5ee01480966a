/* trmm: B := alpha * transpose(A) * B with a lower triangle A whose diagonal is one and not stored. */
#include "harness.h"

#ifndef M
#define M SIZE(20, 60, 200, 1000)
#endif
#ifndef N
#define N SIZE(30, 80, 240, 1200)
#endif
CONSTANTS(m = M, n = N)
#define SIZES int m, int n
#define ARRAYS MAT(double, A, m, m), MAT(double, B, m, n)
#define A(k, i) AT2(A, k, i, m)
#define B(i, j) AT2(B, i, j, n)

STORE2(double, A, M, M)
STORE2(double, B, M, N)

FUNCTION(init)
{
    for (int k = 0; k < m; k++)
        for (int i = 0; i < m; i++)
            A(k, i) = i < k ? input(k, i) : i == k ? 1.0 : -999.0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            B(i, j) = input(i, j + 1);
}

KERNEL(double alpha)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            for (int k = i + 1; k < m; k++)
                B(i, j) += A(k, i) * B(k, j);
            B(i, j) = alpha * B(i, j);
        }
}

FUNCTION(dump) { OUTPUT(B, m * n); }

MAIN((M, N), (A, B), (1.5))
