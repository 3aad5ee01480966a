/* stencil-ikj: a sweep in three dimensions with its loops in a bad order. */
#include "unseen.h"

#ifndef N
#define N SIZE(12, 24, 60, 160)
#endif

static double u[N][N][N] ALIGNED, r[N][N][N] ALIGNED;

TIMED kernel(void)
{
    for (int z = 1; z < N - 1; z++)
        for (int y = 1; y < N - 1; y++)
            for (int x = 1; x < N - 1; x++)
                r[x][y][z] = 0.3 * u[x][y][z] + 0.2 * (u[x - 1][y][z] + u[x + 1][y][z] + u[x][y - 1][z] + u[x][y + 1][z]);
}

static void init(void) { FILL(u, 1); }
static void call(void) { kernel(); }
static void dump(void) { RESULT(r); }

PROGRAM
