/* erode: least of nine neighbours, pointers. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 400, 1500)
#endif

static int in[N * N] ALIGNED, out[N * N] ALIGNED;

TIMED kernel(int n, const int *restrict in, int *restrict out)
{
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            int least = in[y * n + x];
            for (int d = -1; d <= 1; d++)
                for (int e = -1; e <= 1; e++) {
                    int v = in[(y + d) * n + x + e];
                    least = v < least ? v : least;
                }
            out[y * n + x] = least;
        }
}

static void init(void) { FILL_INT(in, 1, 256); }
static void call(void) { kernel(N, in, out); }
static void dump(void) { RESULT(out); }

PROGRAM
