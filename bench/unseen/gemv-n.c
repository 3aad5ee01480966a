/* gemv-n: y = alpha A x + beta y, a matrix given as variable-length array. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 400, 2400)
#endif

static double A[N][N] ALIGNED, x[N], y[N];

TIMED kernel(int n, double alpha, double beta, double A[n][n], double x[n], double y[n])
{
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += A[i][j] * x[j];
        y[i] = alpha * sum + beta * y[i];
    }
}

static void init(void) { FILL(A, 1); FILL(x, 2); FILL(y, 3); }
static void call(void) { kernel(N, 1.5, 1.2, A, x, y); }
static void dump(void) { RESULT(y); }

PROGRAM
