/* lu: A := L and U in one matrix, without pivoting; the diagonal of L is one and not stored. */
#include "harness.h"

#ifndef N
#define N SIZE(40, 120, 400, 2000)
#endif
CONSTANTS(n = N)
#define SIZES int n
#define ARRAYS MAT(double, A, n, n)
#define A(i, j) AT2(A, i, j, n)

STORE2(double, A, N, N)

/* Diagonally dominant, so that no pivot comes near zero. */
FUNCTION(init)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A(i, j) = i == j ? n + positive(i, i) : input(i, j);
}

KERNEL()
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A(i, j) -= A(i, k) * A(k, j);
            A(i, j) /= A(j, j);
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                A(i, j) -= A(i, k) * A(k, j);
    }
}

FUNCTION(dump) { OUTPUT(A, n * n); }

MAIN((N), (A), ())
