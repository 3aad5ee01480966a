/* gray: weighted sum of three planes. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 400, 2000)
#endif

static float r[N][N] ALIGNED, g[N][N] ALIGNED, b[N][N] ALIGNED, gray[N][N] ALIGNED;

TIMED kernel(void)
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            gray[y][x] = 0.299f * r[y][x] + 0.587f * g[y][x] + 0.114f * b[y][x];
}

static void init(void) { FILL_FLOAT(r, 1); FILL_FLOAT(g, 2); FILL_FLOAT(b, 3); }
static void call(void) { kernel(); }
static void dump(void) { RESULT(gray); }

PROGRAM
