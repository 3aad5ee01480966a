/* shortest-paths: all pairs on a small dense graph of integers. */
#include "unseen.h"

#ifndef N
#define N SIZE(20, 60, 160, 450)
#endif

static int dist[N][N] ALIGNED;

TIMED kernel(int n, int dist[n][n])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int through = dist[i][k] + dist[k][j];
                dist[i][j] = through < dist[i][j] ? through : dist[i][j];
            }
}

static void init(void) { FILL_INT(dist, 1, 1000); }
static void call(void) { kernel(N, dist); }
static void dump(void) { RESULT(dist); }

PROGRAM
