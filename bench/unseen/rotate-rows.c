/* rotate-rows: plane rotations of neighbouring rows, one after the other. */
#include "unseen.h"

#ifndef M
#define M SIZE(20, 80, 300, 1200)
#endif
#ifndef N
#define N SIZE(30, 100, 300, 1000)
#endif

static double A[M][N] ALIGNED, c[M], s[M];

TIMED kernel(int m, int n, double A[m][n], const double *restrict c, const double *restrict s)
{
    for (int i = 0; i + 1 < m; i++)
        for (int j = 0; j < n; j++) {
            double a = A[i][j], b = A[i + 1][j];
            A[i][j] = c[i] * a + s[i] * b;
            A[i + 1][j] = c[i] * b - s[i] * a;
        }
}

static void init(void) { FILL(A, 1); FILL(c, 2); FILL(s, 3); }
static void call(void) { kernel(M, N, A, c, s); }
static void dump(void) { RESULT(A); }

PROGRAM
