/* matrix-chain: least cost of a product of many matrices. */
#include "unseen.h"

#ifndef N
#define N SIZE(20, 60, 160, 500)
#endif

static int dim[N + 1], cost[N][N] ALIGNED;

TIMED kernel(void)
{
    for (int len = 1; len < N; len++)
        for (int i = 0; i < N - len; i++) {
            cost[i][i + len] = 1 << 30;
            for (int k = i; k < i + len; k++) {
                int c = cost[i][k] + cost[k + 1][i + len] + dim[i] * dim[k + 1] * dim[i + len + 1];
                cost[i][i + len] = c < cost[i][i + len] ? c : cost[i][i + len];
            }
        }
}

static void init(void)
{
    FILL_INT(dim, 1, 30);
    for (int i = 0; i < N; i++)
        cost[i][i] = 0;
}
static void call(void) { kernel(); }
static void dump(void) { RESULT(cost); }

PROGRAM
