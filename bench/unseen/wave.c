/* wave: leapfrog wave equation, planes by time. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 60, 200, 600)
#endif
#ifndef STEPS
#define STEPS SIZE(5, 9, 20, 40)
#endif

static double u[3][N][N] ALIGNED;

TIMED kernel(double c)
{
    for (int t = 2; t < STEPS; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                u[t % 3][i][j] = 2.0 * u[(t - 1) % 3][i][j] - u[(t - 2) % 3][i][j]
                               + c * (u[(t - 1) % 3][i - 1][j] + u[(t - 1) % 3][i + 1][j] + u[(t - 1) % 3][i][j - 1]
                                      + u[(t - 1) % 3][i][j + 1] - 4.0 * u[(t - 1) % 3][i][j]);
}

static void init(void) { FILL(u, 1); }
static void call(void) { kernel(0.1); }
static void dump(void) { RESULT(u); }

PROGRAM
