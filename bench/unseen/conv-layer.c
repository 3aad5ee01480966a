/* conv-layer: a layer of a network, channels outermost. */
#include "unseen.h"

#ifndef C
#define C SIZE(3, 8, 16, 32)
#endif
#ifndef K
#define K SIZE(4, 8, 16, 32)
#endif
#ifndef H
#define H SIZE(12, 20, 36, 66)
#endif

static float in[C][H][H] ALIGNED, weight[K][C][3][3], out[K][H - 2][H - 2] ALIGNED;

TIMED kernel(void)
{
    for (int k = 0; k < K; k++)
        for (int y = 0; y < H - 2; y++)
            for (int x = 0; x < H - 2; x++)
                for (int c = 0; c < C; c++)
                    for (int r = 0; r < 3; r++)
                        for (int s = 0; s < 3; s++)
                            out[k][y][x] += weight[k][c][r][s] * in[c][y + r][x + s];
}

static void init(void) { FILL_FLOAT(in, 1); FILL_FLOAT(weight, 2); FILL_FLOAT(out, 3); }
static void call(void) { kernel(); }
static void dump(void) { RESULT(out); }

PROGRAM
