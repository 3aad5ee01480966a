/* contract4: two indices of a four-index tensor against another. */
#include "unseen.h"

#ifndef N
#define N SIZE(5, 8, 14, 24)
#endif

static double T[N][N][N][N] ALIGNED, V[N][N][N][N] ALIGNED, R[N][N][N][N] ALIGNED;

TIMED kernel(void)
{
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++)
            for (int c = 0; c < N; c++)
                for (int d = 0; d < N; d++)
                    for (int e = 0; e < N; e++)
                        for (int f = 0; f < N; f++)
                            R[a][b][c][d] += T[a][e][b][f] * V[e][c][f][d];
}

static void init(void) { FILL(T, 1); FILL(V, 2); FILL(R, 3); }
static void call(void) { kernel(); }
static void dump(void) { RESULT(R); }

PROGRAM
