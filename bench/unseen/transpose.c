/* transpose: out of place. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 500, 2000)
#endif

static double A[N][N] ALIGNED, B[N][N] ALIGNED;

TIMED kernel(int n, double A[n][n], double B[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B[j][i] = A[i][j];
}

static void init(void) { FILL(A, 1); }
static void call(void) { kernel(N, A, B); }
static void dump(void) { RESULT(B); }

PROGRAM
