/* trsv-t: solves L' x = b for a lower triangle. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 400, 2400)
#endif

static double L[N][N] ALIGNED, x[N];

TIMED kernel(int n, double L[n][n], double x[n])
{
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            x[i] -= L[j][i] * x[j];
        x[i] /= L[i][i];
    }
}

static void init(void)
{
    FILL(L, 1);
    FILL(x, 2);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++)
            L[i][j] /= N;
        L[i][i] = 2.0;
    }
}
static void call(void) { kernel(N, L, x); }
static void dump(void) { RESULT(x); }

PROGRAM
