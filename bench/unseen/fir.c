/* fir: finite impulse response filter. */
#include "unseen.h"

#ifndef N
#define N SIZE(200, 1000, 5000, 200000)
#endif
#ifndef TAPS
#define TAPS SIZE(8, 16, 32, 64)
#endif

static float x[N + TAPS] ALIGNED, h[TAPS], y[N] ALIGNED;

TIMED kernel(int n, int taps, const float *restrict x, const float *restrict h, float *restrict y)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < taps; k++)
            y[i] += h[k] * x[i + k];
}

static void init(void) { FILL_FLOAT(x, 1); FILL_FLOAT(h, 2); FILL_FLOAT(y, 3); }
static void call(void) { kernel(N, TAPS, x, h, y); }
static void dump(void) { RESULT(y); }

PROGRAM
