/* gbmv: band matrix times vector, the band stored by diagonals. */
#include "unseen.h"

#ifndef N
#define N SIZE(200, 2000, 40000, 400000)
#endif
#ifndef B
#define B SIZE(3, 5, 8, 9)
#endif

static double A[2 * B + 1][N] ALIGNED, x[N], y[N];

TIMED kernel(int n, double A[2 * B + 1][n], const double *restrict x, double *restrict y)
{
    for (int i = B; i < n - B; i++)
        for (int d = 0; d <= 2 * B; d++)
            y[i] += A[d][i] * x[i + d - B];
}

static void init(void) { FILL(A, 1); FILL(x, 2); FILL(y, 3); }
static void call(void) { kernel(N, A, x, y); }
static void dump(void) { RESULT(y); }

PROGRAM
