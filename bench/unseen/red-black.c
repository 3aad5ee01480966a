/* red-black: two colours of Gauss-Seidel. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 60, 200, 800)
#endif
#ifndef STEPS
#define STEPS SIZE(2, 4, 8, 10)
#endif

static double u[N][N] ALIGNED, f[N][N] ALIGNED;

TIMED kernel(int steps, int n, double u[n][n], double f[n][n])
{
    for (int t = 0; t < steps; t++)
        for (int colour = 0; colour < 2; colour++)
            for (int i = 1; i < n - 1; i++)
                for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2)
                    u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
}

static void init(void) { FILL(u, 1); FILL(f, 2); }
static void call(void) { kernel(STEPS, N, u, f); }
static void dump(void) { RESULT(u); }

PROGRAM
