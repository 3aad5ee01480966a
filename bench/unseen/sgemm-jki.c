/* sgemm-jki: single precision, the order of Fortran codes written in C. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 80, 240, 640)
#endif

static float A[N][N] ALIGNED, B[N][N] ALIGNED, C[N][N] ALIGNED;

TIMED kernel(void)
{
    for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
            for (int i = 0; i < N; i++)
                C[i][j] += A[i][k] * B[k][j];
}

static void init(void) { FILL_FLOAT(A, 1); FILL_FLOAT(B, 2); FILL_FLOAT(C, 3); }
static void call(void) { kernel(); }
static void dump(void) { RESULT(C); }

PROGRAM
