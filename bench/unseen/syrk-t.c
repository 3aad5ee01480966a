/* syrk-t: C += A' A, upper triangle. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 80, 240, 560)
#endif
#ifndef M
#define M SIZE(30, 90, 260, 600)
#endif

static double A[M][N] ALIGNED, C[N][N] ALIGNED;

TIMED kernel(int n, int m, double A[m][n], double C[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            for (int k = 0; k < m; k++)
                C[i][j] += A[k][i] * A[k][j];
}

static void init(void) { FILL(A, 1); FILL(C, 2); }
static void call(void) { kernel(N, M, A, C); }
static void dump(void) { RESULT(C); }

PROGRAM
