/* ttm: a tensor times a matrix in its middle index. */
#include "unseen.h"

#ifndef N
#define N SIZE(10, 24, 64, 160)
#endif

static double T[N][N][N] ALIGNED, U[N][N] ALIGNED, R[N][N][N] ALIGNED;

TIMED kernel(int n, double T[n][n][n], double U[n][n], double R[n][n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < n; l++)
                for (int k = 0; k < n; k++)
                    R[i][j][l] += U[j][k] * T[i][k][l];
}

static void init(void) { FILL(T, 1); FILL(U, 2); FILL(R, 3); }
static void call(void) { kernel(N, T, U, R); }
static void dump(void) { RESULT(R); }

PROGRAM
