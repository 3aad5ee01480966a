/* restrict-grid: full weighting from a fine to a coarse grid. */
#include "unseen.h"

#ifndef N
#define N SIZE(20, 60, 200, 800)
#endif

static double fine[2 * N + 1][2 * N + 1] ALIGNED, coarse[N][N] ALIGNED;

TIMED kernel(int n, double fine[2 * n + 1][2 * n + 1], double coarse[n][n])
{
    for (int j = 1; j < n; j++)
        for (int i = 1; i < n; i++)
            coarse[i][j] = 0.25 * fine[2 * i][2 * j]
                         + 0.125 * (fine[2 * i - 1][2 * j] + fine[2 * i + 1][2 * j] + fine[2 * i][2 * j - 1] + fine[2 * i][2 * j + 1])
                         + 0.0625 * (fine[2 * i - 1][2 * j - 1] + fine[2 * i - 1][2 * j + 1] + fine[2 * i + 1][2 * j - 1] + fine[2 * i + 1][2 * j + 1]);
}

static void init(void) { FILL(fine, 1); }
static void call(void) { kernel(N, fine, coarse); }
static void dump(void) { RESULT(coarse); }

PROGRAM
