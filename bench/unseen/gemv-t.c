/* gemv-t: y += A' x, column by column, pointers with a leading dimension. */
#include "unseen.h"

#ifndef M
#define M SIZE(37, 110, 390, 2200)
#endif
#ifndef N
#define N SIZE(40, 120, 400, 2400)
#endif

static double A[M * N] ALIGNED, x[M], y[N];

TIMED kernel(int m, int n, int lda, const double *restrict A, const double *restrict x, double *restrict y)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            y[j] += A[i * lda + j] * x[i];
}

static void init(void) { FILL(A, 1); FILL(x, 2); FILL(y, 3); }
static void call(void) { kernel(M, N, N, A, x, y); }
static void dump(void) { RESULT(y); }

PROGRAM
