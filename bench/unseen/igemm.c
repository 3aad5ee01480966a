/* igemm: 32-bit integers, good order already. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 80, 240, 640)
#endif

static int A[N][N] ALIGNED, B[N][N] ALIGNED, C[N][N] ALIGNED;

TIMED kernel(int n, int A[n][n], int B[n][n], int C[n][n])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                C[i][j] += A[i][k] * B[k][j];
}

static void init(void) { FILL_INT(A, 1, 1000); FILL_INT(B, 2, 1000); FILL_INT(C, 3, 1000); }
static void call(void) { kernel(N, A, B, C); }
static void dump(void) { RESULT(C); }

PROGRAM
