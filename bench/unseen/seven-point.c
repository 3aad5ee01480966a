/* seven-point: variable coefficients in three dimensions, one sweep. */
#include "unseen.h"

#ifndef N
#define N SIZE(12, 24, 60, 160)
#endif

static double u[N][N][N] ALIGNED, k[N][N][N] ALIGNED, r[N][N][N] ALIGNED;

TIMED kernel(int n, double u[n][n][n], double k[n][n][n], double r[n][n][n])
{
    for (int x = 1; x < n - 1; x++)
        for (int y = 1; y < n - 1; y++)
            for (int z = 1; z < n - 1; z++)
                r[x][y][z] = k[x][y][z] * (u[x - 1][y][z] + u[x + 1][y][z] + u[x][y - 1][z] + u[x][y + 1][z]
                                           + u[x][y][z - 1] + u[x][y][z + 1] - 6.0 * u[x][y][z]);
}

static void init(void) { FILL(u, 1); FILL(k, 2); }
static void call(void) { kernel(N, u, k, r); }
static void dump(void) { RESULT(r); }

PROGRAM
