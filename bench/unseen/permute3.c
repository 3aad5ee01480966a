/* permute3: the indices of a float tensor in reverse order. */
#include "unseen.h"

#ifndef N
#define N SIZE(10, 24, 80, 200)
#endif

static float A[N][N][N] ALIGNED, B[N][N][N] ALIGNED;

TIMED kernel(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                B[k][j][i] = A[i][j][k];
}

static void init(void) { FILL_FLOAT(A, 1); }
static void call(void) { kernel(); }
static void dump(void) { RESULT(B); }

PROGRAM
