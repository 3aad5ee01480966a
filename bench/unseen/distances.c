/* distances: squared distances between points and centres. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 200, 1000, 6000)
#endif
#ifndef K
#define K SIZE(8, 16, 32, 64)
#endif
#ifndef D
#define D SIZE(4, 8, 12, 16)
#endif

static double p[N][D] ALIGNED, q[K][D] ALIGNED, dist[N][K] ALIGNED;

TIMED kernel(int n, int k, int d, double p[n][d], double q[k][d], double dist[n][k])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0.0;
            for (int c = 0; c < d; c++)
                sum += (p[i][c] - q[j][c]) * (p[i][c] - q[j][c]);
            dist[i][j] = sum;
        }
}

static void init(void) { FILL(p, 1); FILL(q, 2); }
static void call(void) { kernel(N, K, D, p, q, dist); }
static void dump(void) { RESULT(dist); }

PROGRAM
