/* cholesky: A := L with L * transpose(L) = A, for a symmetric positive definite A, in the lower triangle. */
#include "harness.h"

#ifndef N
#define N SIZE(40, 120, 400, 2000)
#endif
CONSTANTS(n = N)
#define SIZES int n
#define ARRAYS MAT(double, A, n, n)
#define A(i, j) AT2(A, i, j, n)

STORE2(double, A, N, N)

/* Symmetric, and positive definite because each diagonal element outweighs its row. */
FUNCTION(init)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A(i, j) = i == j ? n + positive(i, i) : i > j ? input(i, j) : input(j, i);
}

KERNEL()
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A(i, j) -= A(i, k) * A(j, k);
            A(i, j) /= A(j, j);
        }
        for (int k = 0; k < i; k++)
            A(i, i) -= A(i, k) * A(i, k);
        A(i, i) = __builtin_sqrt(A(i, i));
    }
}

FUNCTION(dump) { OUTPUT(A, n * n); }

MAIN((N), (A), ())
