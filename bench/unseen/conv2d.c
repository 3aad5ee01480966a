/* conv2d: five by five filter over a float image, through a local sum. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 400, 1200)
#endif

static float in[N][N] ALIGNED, out[N][N] ALIGNED, weight[5][5];

TIMED kernel(int n, float in[n][n], float out[n][n], float weight[5][5])
{
    for (int y = 2; y < n - 2; y++)
        for (int x = 2; x < n - 2; x++) {
            float sum = 0.0f;
            for (int dy = 0; dy < 5; dy++)
                for (int dx = 0; dx < 5; dx++)
                    sum += weight[dy][dx] * in[y + dy - 2][x + dx - 2];
            out[y][x] = sum;
        }
}

static void init(void) { FILL_FLOAT(in, 1); FILL_FLOAT(weight, 2); }
static void call(void) { kernel(N, in, out, weight); }
static void dump(void) { RESULT(out); }

PROGRAM
