/* cholesky-right: right-looking Cholesky decomposition of a lower triangle. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 80, 240, 640)
#endif

static double A[N][N] ALIGNED;

TIMED kernel(int n, double A[n][n])
{
    for (int k = 0; k < n; k++) {
        A[k][k] = sqrt(A[k][k]);
        for (int i = k + 1; i < n; i++)
            A[i][k] /= A[k][k];
        for (int j = k + 1; j < n; j++)
            for (int i = j; i < n; i++)
                A[i][j] -= A[i][k] * A[j][k];
    }
}

static void init(void)
{
    FILL(A, 1);
    for (int i = 0; i < N; i++)
        A[i][i] = 4.0 * N;
}
static void call(void) { kernel(N, A); }
static void dump(void) { RESULT(A); }

PROGRAM
