/* gemm-tt: C = beta C + A' B', global arrays. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 80, 240, 640)
#endif

static double A[N][N] ALIGNED, B[N][N] ALIGNED, C[N][N] ALIGNED;

TIMED kernel(double beta)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < N; k++)
                C[i][j] += A[k][i] * B[j][k];
        }
}

static void init(void) { FILL(A, 1); FILL(B, 2); FILL(C, 3); }
static void call(void) { kernel(0.5); }
static void dump(void) { RESULT(C); }

PROGRAM
