/* heat-wide: heat equation of fourth order in two dimensions, two planes. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 60, 200, 700)
#endif
#ifndef STEPS
#define STEPS SIZE(4, 8, 20, 40)
#endif

static double A[N][N] ALIGNED, B[N][N] ALIGNED;

TIMED kernel(int steps, int n, double A[n][n], double B[n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 2; i < n - 2; i++)
            for (int j = 2; j < n - 2; j++)
                B[i][j] = 0.5 * A[i][j] + 0.15 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1])
                        - 0.025 * (A[i - 2][j] + A[i + 2][j] + A[i][j - 2] + A[i][j + 2]);
        for (int i = 2; i < n - 2; i++)
            for (int j = 2; j < n - 2; j++)
                A[i][j] = B[i][j];
    }
}

static void init(void) { FILL(A, 1); FILL(B, 1); }
static void call(void) { kernel(STEPS, N, A, B); }
static void dump(void) { RESULT(A); }

PROGRAM
