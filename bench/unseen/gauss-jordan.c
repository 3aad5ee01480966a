/* gauss-jordan: inverse by elimination without pivoting. */
#include "unseen.h"

#ifndef N
#define N SIZE(20, 60, 160, 400)
#endif

static double A[N][N] ALIGNED, X[N][N] ALIGNED;

TIMED kernel(int n, double A[n][n], double X[n][n])
{
    for (int k = 0; k < n; k++) {
        double d = 1.0 / A[k][k];
        for (int j = 0; j < n; j++) {
            A[k][j] *= d;
            X[k][j] *= d;
        }
        for (int i = 0; i < n; i++) {
            double f = A[i][k];
            if (i != k)
                for (int j = 0; j < n; j++) {
                    A[i][j] -= f * A[k][j];
                    X[i][j] -= f * X[k][j];
                }
        }
    }
}

static void init(void)
{
    FILL(A, 1);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            X[i][j] = i == j;
    for (int i = 0; i < N; i++)
        A[i][i] = N;
}
static void call(void) { kernel(N, A, X); }
static void dump(void) { RESULT(X); }

PROGRAM
