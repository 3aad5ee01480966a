/* blur: separable filter in two passes, the second along columns in the outer loop. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 400, 1500)
#endif

static float in[N][N] ALIGNED, mid[N][N] ALIGNED, out[N][N] ALIGNED;

TIMED kernel(int n, float in[n][n], float mid[n][n], float out[n][n])
{
    for (int y = 0; y < n; y++)
        for (int x = 2; x < n - 2; x++)
            mid[y][x] = 0.1f * in[y][x - 2] + 0.2f * in[y][x - 1] + 0.4f * in[y][x] + 0.2f * in[y][x + 1] + 0.1f * in[y][x + 2];
    for (int x = 2; x < n - 2; x++)
        for (int y = 2; y < n - 2; y++)
            out[y][x] = 0.1f * mid[y - 2][x] + 0.2f * mid[y - 1][x] + 0.4f * mid[y][x] + 0.2f * mid[y + 1][x] + 0.1f * mid[y + 2][x];
}

static void init(void) { FILL_FLOAT(in, 1); }
static void call(void) { kernel(N, in, mid, out); }
static void dump(void) { RESULT(mid); RESULT(out); }

PROGRAM
