/* mttkrp: a tensor times a Khatri-Rao product. */
#include "unseen.h"

#ifndef N
#define N SIZE(10, 24, 80, 200)
#endif
#ifndef R
#define R SIZE(8, 12, 16, 32)
#endif

static double T[N][N][N] ALIGNED, B[N][R] ALIGNED, C[N][R] ALIGNED, A[N][R] ALIGNED;

TIMED kernel(void)
{
    for (int i = 0; i < N; i++)
        for (int r = 0; r < R; r++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k < N; k++)
                    A[i][r] += T[i][j][k] * B[j][r] * C[k][r];
}

static void init(void) { FILL(T, 1); FILL(B, 2); FILL(C, 3); FILL(A, 4); }
static void call(void) { kernel(); }
static void dump(void) { RESULT(A); }

PROGRAM
