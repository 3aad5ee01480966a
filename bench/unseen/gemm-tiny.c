/* gemm-tiny: many products of four by four, sizes as parameters. */
#include "unseen.h"

#ifndef COUNT
#define COUNT SIZE(20, 200, 2000, 60000)
#endif
#ifndef N
#define N SIZE(4, 4, 4, 4)
#endif

static double A[COUNT][N][N] ALIGNED, B[COUNT][N][N] ALIGNED, C[COUNT][N][N] ALIGNED;

__attribute__((noinline, weak)) void one(int n, double A[n][n], double B[n][n], double C[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] += A[i][k] * B[k][j];
}

TIMED kernel(int count)
{
    for (int c = 0; c < count; c++)
        one(N, A[c], B[c], C[c]);
}

static void init(void) { FILL(A, 1); FILL(B, 2); FILL(C, 3); }
static void call(void) { kernel(COUNT); }
static void dump(void) { RESULT(C); }

PROGRAM
