/* dot: inner product of long vectors. */
#include "unseen.h"

#ifndef N
#define N SIZE(100, 1000, 20000, 2000000)
#endif

static double x[N] ALIGNED, y[N] ALIGNED, out[1];

TIMED kernel(int n, const double *restrict x, const double *restrict y, double *restrict out)
{
    for (int i = 0; i < n; i++)
        out[0] += x[i] * y[i];
}

static void init(void) { FILL(x, 1); FILL(y, 2); FILL(out, 3); }
static void call(void) { kernel(N, x, y, out); }
static void dump(void) { RESULT(out); }

PROGRAM
