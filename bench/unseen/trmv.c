/* trmv: x = U x in place, the triangle walked by columns, pointers. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 400, 2400)
#endif

static double A[N * N] ALIGNED, x[N];

TIMED kernel(int n, const double *restrict A, double *restrict x)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < j; i++)
            x[i] += x[j] * A[i * n + j];
        x[j] *= A[j * n + j];
    }
}

static void init(void) { FILL(A, 1); FILL(x, 2); }
static void call(void) { kernel(N, A, x); }
static void dump(void) { RESULT(x); }

PROGRAM
