/* gramschmidt: the modified Gram-Schmidt method, A = Q * R with orthonormal columns in Q and an upper triangle R. */
#include "harness.h"

#ifndef M
#define M SIZE(30, 80, 240, 1200)
#endif
#ifndef N
#define N SIZE(20, 60, 200, 1000)
#endif
CONSTANTS(m = M, n = N)
#define SIZES int m, int n
#define ARRAYS MAT(double, A, m, n), MAT(double, R, n, n), MAT(double, Q, m, n)
#define A(i, j) AT2(A, i, j, n)
#define R(i, j) AT2(R, i, j, n)
#define Q(i, j) AT2(Q, i, j, n)

STORE2(double, A, M, N)
STORE2(double, R, N, N)
STORE2(double, Q, M, N)

/* More rows than columns and a heavy diagonal: the columns are independent, so that no norm vanishes. */
FUNCTION(init)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            A(i, j) = input(i, j) + (i == j ? 50.0 : 0.0);
            Q(i, j) = 0.0;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            R(i, j) = 0.0;
}

KERNEL()
{
    for (int k = 0; k < n; k++) {
        double norm = 0.0;
        for (int i = 0; i < m; i++)
            norm += A(i, k) * A(i, k);
        R(k, k) = __builtin_sqrt(norm);
        for (int i = 0; i < m; i++)
            Q(i, k) = A(i, k) / R(k, k);
        for (int j = k + 1; j < n; j++) {
            R(k, j) = 0.0;
            for (int i = 0; i < m; i++)
                R(k, j) += Q(i, k) * A(i, j);
            for (int i = 0; i < m; i++)
                A(i, j) = A(i, j) - Q(i, k) * R(k, j);
        }
    }
}

FUNCTION(dump)
{
    OUTPUT(R, n * n);
    OUTPUT(Q, m * n);
    OUTPUT(A, m * n);
}

MAIN((M, N), (A, R, Q), ())
