/* autocorrelation: of a signal, for many lags. */
#include "unseen.h"

#ifndef N
#define N SIZE(200, 1000, 5000, 50000)
#endif
#ifndef LAGS
#define LAGS SIZE(10, 30, 80, 200)
#endif

static double x[N] ALIGNED, r[LAGS];

TIMED kernel(int n, int lags, const double *restrict x, double *restrict r)
{
    for (int k = 0; k < lags; k++)
        for (int i = 0; i < n - k; i++)
            r[k] += x[i] * x[i + k];
}

static void init(void) { FILL(x, 1); FILL(r, 2); }
static void call(void) { kernel(N, LAGS, x, r); }
static void dump(void) { RESULT(r); }

PROGRAM
