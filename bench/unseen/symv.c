/* symv: y += A x where only the upper triangle of A is stored. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 400, 2400)
#endif

static double A[N][N] ALIGNED, x[N], y[N];

TIMED kernel(void)
{
    for (int i = 0; i < N; i++) {
        y[i] += A[i][i] * x[i];
        for (int j = i + 1; j < N; j++) {
            y[i] += A[i][j] * x[j];
            y[j] += A[i][j] * x[i];
        }
    }
}

static void init(void) { FILL(A, 1); FILL(x, 2); FILL(y, 3); }
static void call(void) { kernel(); }
static void dump(void) { RESULT(y); }

PROGRAM
