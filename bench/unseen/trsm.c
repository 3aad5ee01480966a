/* trsm: solves L X = B for many right-hand sides. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 80, 240, 560)
#endif
#ifndef M
#define M SIZE(20, 70, 220, 600)
#endif

static double L[N][N] ALIGNED, B[N][M] ALIGNED;

TIMED kernel(int n, int m, double L[n][n], double B[n][m])
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < i; k++)
                B[i][j] -= L[i][k] * B[k][j];
            B[i][j] /= L[i][i];
        }
}

static void init(void)
{
    FILL(L, 1);
    FILL(B, 2);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++)
            L[i][j] /= N;
        L[i][i] = 2.0;
    }
}
static void call(void) { kernel(N, M, L, B); }
static void dump(void) { RESULT(B); }

PROGRAM
