/* advect: upwind transport in one dimension, in place. */
#include "unseen.h"

#ifndef N
#define N SIZE(100, 400, 4000, 40000)
#endif
#ifndef STEPS
#define STEPS SIZE(8, 20, 100, 400)
#endif

static double u[N] ALIGNED;

TIMED kernel(int steps, int n, double c, double *u)
{
    for (int t = 0; t < steps; t++)
        for (int i = n - 1; i > 0; i--)
            u[i] = u[i] - c * (u[i] - u[i - 1]);
}

static void init(void) { FILL(u, 1); }
static void call(void) { kernel(STEPS, N, 0.3, u); }
static void dump(void) { RESULT(u); }

PROGRAM
