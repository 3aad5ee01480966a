/* gemm-nt: C = A B' through a local sum, pointers. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 80, 240, 640)
#endif

static double A[N * N] ALIGNED, B[N * N] ALIGNED, C[N * N] ALIGNED;

TIMED kernel(int n, const double *restrict A, const double *restrict B, double *restrict C)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += A[i * n + k] * B[j * n + k];
            C[i * n + j] = sum;
        }
}

static void init(void) { FILL(A, 1); FILL(B, 2); }
static void call(void) { kernel(N, A, B, C); }
static void dump(void) { RESULT(C); }

PROGRAM
