/* axpy: scaled vector added to another, many times over short vectors. */
#include "unseen.h"

#ifndef N
#define N SIZE(64, 256, 1024, 4096)
#endif
#ifndef TIMES
#define TIMES SIZE(3, 20, 100, 1000)
#endif

static double x[N] ALIGNED, y[N] ALIGNED;

TIMED kernel(int n, int times, const double *restrict x, double *restrict y)
{
    for (int t = 0; t < times; t++)
        for (int i = 0; i < n; i++)
            y[i] += 0.001 * x[i];
}

static void init(void) { FILL(x, 1); FILL(y, 2); }
static void call(void) { kernel(N, TIMES, x, y); }
static void dump(void) { RESULT(y); }

PROGRAM
