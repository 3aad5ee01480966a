/* iir-bank: a recursive filter on each of many channels. */
#include "unseen.h"

#ifndef C
#define C SIZE(10, 40, 200, 800)
#endif
#ifndef N
#define N SIZE(30, 100, 400, 1500)
#endif

static double x[C][N] ALIGNED, y[C][N] ALIGNED;

TIMED kernel(int channels, int n, double x[channels][n], double y[channels][n])
{
    for (int c = 0; c < channels; c++)
        for (int i = 2; i < n; i++)
            y[c][i] = 0.2 * x[c][i] + 0.3 * x[c][i - 1] + 0.4 * y[c][i - 1] - 0.1 * y[c][i - 2];
}

static void init(void) { FILL(x, 1); FILL(y, 2); }
static void call(void) { kernel(C, N, x, y); }
static void dump(void) { RESULT(y); }

PROGRAM
