/* column-stats: mean and variance of each column of a table. */
#include "unseen.h"

#ifndef M
#define M SIZE(40, 150, 600, 3000)
#endif
#ifndef N
#define N SIZE(30, 100, 300, 1000)
#endif

static double X[M][N] ALIGNED, mean[N], var[N];

TIMED kernel(int m, int n, double X[m][n], double mean[n], double var[n])
{
    for (int j = 0; j < n; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < m; i++)
            mean[j] += X[i][j];
        mean[j] /= m;
        var[j] = 0.0;
        for (int i = 0; i < m; i++)
            var[j] += (X[i][j] - mean[j]) * (X[i][j] - mean[j]);
        var[j] /= m - 1;
    }
}

static void init(void) { FILL(X, 1); }
static void call(void) { kernel(M, N, X, mean, var); }
static void dump(void) { RESULT(mean); RESULT(var); }

PROGRAM
