/* ger: rank-one update of a global matrix. */
#include "unseen.h"

#ifndef M
#define M SIZE(37, 110, 390, 2000)
#endif
#ifndef N
#define N SIZE(40, 120, 400, 2200)
#endif

static double A[M][N] ALIGNED, x[M], y[N];

TIMED kernel(double alpha)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            A[i][j] += alpha * x[i] * y[j];
}

static void init(void) { FILL(A, 1); FILL(x, 2); FILL(y, 3); }
static void call(void) { kernel(0.7); }
static void dump(void) { RESULT(A); }

PROGRAM
