/* syr2: rank-two update of a lower triangle. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 400, 2400)
#endif

static double A[N][N] ALIGNED, x[N], y[N];

TIMED kernel(int n, double alpha, double A[n][n], const double x[n], const double y[n])
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            A[i][j] = A[i][j] + alpha * x[i] * y[j] + alpha * y[i] * x[j];
}

static void init(void) { FILL(A, 1); FILL(x, 2); FILL(y, 3); }
static void call(void) { kernel(N, 0.7, A, x, y); }
static void dump(void) { RESULT(A); }

PROGRAM
