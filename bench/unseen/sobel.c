/* sobel: edges of an integer image. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 400, 1500)
#endif

static int in[N][N] ALIGNED, out[N][N] ALIGNED;

TIMED kernel(void)
{
    for (int y = 1; y < N - 1; y++)
        for (int x = 1; x < N - 1; x++) {
            int gx = in[y - 1][x + 1] + 2 * in[y][x + 1] + in[y + 1][x + 1] - in[y - 1][x - 1] - 2 * in[y][x - 1] - in[y + 1][x - 1];
            int gy = in[y + 1][x - 1] + 2 * in[y + 1][x] + in[y + 1][x + 1] - in[y - 1][x - 1] - 2 * in[y - 1][x] - in[y - 1][x + 1];
            out[y][x] = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
        }
}

static void init(void) { FILL_INT(in, 1, 256); }
static void call(void) { kernel(); }
static void dump(void) { RESULT(out); }

PROGRAM
