/* summed-area: table of sums over rectangles. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 400, 1500)
#endif

static double in[N][N] ALIGNED, sum[N][N] ALIGNED;

TIMED kernel(int n, double in[n][n], double sum[n][n])
{
    for (int x = 1; x < n; x++)
        for (int y = 1; y < n; y++)
            sum[y][x] = in[y][x] + sum[y - 1][x] + sum[y][x - 1] - sum[y - 1][x - 1];
}

static void init(void) { FILL(in, 1); FILL(sum, 2); }
static void call(void) { kernel(N, in, sum); }
static void dump(void) { RESULT(sum); }

PROGRAM
