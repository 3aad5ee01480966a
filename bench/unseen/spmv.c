/* spmv: sparse matrix in compressed rows times vector. */
#include "unseen.h"

#ifndef N
#define N SIZE(50, 300, 5000, 60000)
#endif
#ifndef K
#define K SIZE(5, 9, 15, 20)
#endif

static double value[N * K] ALIGNED, x[N], y[N];
static int start[N + 1], column[N * K];

TIMED kernel(int n, const int *restrict start, const int *restrict column, const double *restrict value, const double *restrict x,
             double *restrict y)
{
    for (int i = 0; i < n; i++)
        for (int k = start[i]; k < start[i + 1]; k++)
            y[i] += value[k] * x[column[k]];
}

static void init(void)
{
    FILL(value, 1); FILL(x, 2); FILL(y, 3);
    FILL_INT(column, 4, N);
    for (int i = 0; i <= N; i++)
        start[i] = i * K;
}
static void call(void) { kernel(N, start, column, value, x, y); }
static void dump(void) { RESULT(y); }

PROGRAM
