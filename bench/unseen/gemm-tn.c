/* gemm-tn: C += A' B into memory, loops in the order of the formula. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 80, 240, 640)
#endif

static double A[N][N] ALIGNED, B[N][N] ALIGNED, C[N][N] ALIGNED;

TIMED kernel(int n, double A[n][n], double B[n][n], double C[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] += A[k][i] * B[k][j];
}

static void init(void) { FILL(A, 1); FILL(B, 2); FILL(C, 3); }
static void call(void) { kernel(N, A, B, C); }
static void dump(void) { RESULT(C); }

PROGRAM
