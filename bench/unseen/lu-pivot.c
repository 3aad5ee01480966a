/* lu-pivot: LU decomposition with partial pivoting. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 80, 240, 640)
#endif

static double A[N][N] ALIGNED;
static int pivot[N];

TIMED kernel(int n, double A[n][n], int pivot[n])
{
    for (int k = 0; k < n; k++) {
        int p = k;
        double best = fabs(A[k][k]);
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i][k]) > best) {
                best = fabs(A[i][k]);
                p = i;
            }
        pivot[k] = p;
        for (int j = 0; j < n; j++) {
            double t = A[k][j];
            A[k][j] = A[p][j];
            A[p][j] = t;
        }
        for (int i = k + 1; i < n; i++)
            A[i][k] /= A[k][k];
        for (int j = k + 1; j < n; j++)
            for (int i = k + 1; i < n; i++)
                A[i][j] -= A[i][k] * A[k][j];
    }
}

static void init(void)
{
    FILL(A, 1);
    for (int i = 0; i < N; i++)
        A[i][i] += 10.0;
}
static void call(void) { kernel(N, A, pivot); }
static void dump(void) { RESULT(A); RESULT(pivot); }

PROGRAM
