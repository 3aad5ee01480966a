/* layer-norm: rows of a table scaled to mean zero and variance one. */
#include "unseen.h"

#ifndef M
#define M SIZE(20, 80, 300, 2000)
#endif
#ifndef N
#define N SIZE(30, 100, 300, 768)
#endif

static double X[M][N] ALIGNED, Y[M][N] ALIGNED, mean[M], var[M];

TIMED kernel(int m, int n, double X[m][n], double Y[m][n], double mean[m], double var[m])
{
    for (int i = 0; i < m; i++) {
        mean[i] = 0.0;
        var[i] = 0.0;
        for (int j = 0; j < n; j++)
            mean[i] += X[i][j];
        mean[i] /= n;
        for (int j = 0; j < n; j++)
            var[i] += (X[i][j] - mean[i]) * (X[i][j] - mean[i]);
        var[i] /= n;
        for (int j = 0; j < n; j++)
            Y[i][j] = (X[i][j] - mean[i]) / sqrt(var[i] + 1e-5);
    }
}

static void init(void) { FILL(X, 1); }
static void call(void) { kernel(M, N, X, Y, mean, var); }
static void dump(void) { RESULT(Y); RESULT(mean); RESULT(var); }

PROGRAM
