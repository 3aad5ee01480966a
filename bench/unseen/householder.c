/* householder: QR decomposition by reflections, column by column. */
#include "unseen.h"

#ifndef N
#define N SIZE(20, 60, 160, 400)
#endif

static double A[N][N] ALIGNED, v[N], w[N];

TIMED kernel(int n, double A[n][n], double v[n], double w[n])
{
    for (int k = 0; k < n - 1; k++) {
        double norm = 0.0;
        for (int i = k; i < n; i++)
            norm += A[i][k] * A[i][k];
        norm = sqrt(norm);
        double first = A[k][k] + (A[k][k] < 0.0 ? -norm : norm);
        double scale = first * first;
        v[k] = first;
        for (int i = k + 1; i < n; i++) {
            v[i] = A[i][k];
            scale += v[i] * v[i];
        }
        for (int j = k; j < n; j++) {
            w[j] = 0.0;
            for (int i = k; i < n; i++)
                w[j] += v[i] * A[i][j];
        }
        for (int j = k; j < n; j++)
            for (int i = k; i < n; i++)
                A[i][j] -= 2.0 * v[i] * w[j] / scale;
    }
}

static void init(void)
{
    FILL(A, 1);
    for (int i = 0; i < N; i++)
        A[i][i] += 3.0;
}
static void call(void) { kernel(N, A, v, w); }
static void dump(void) { RESULT(A); }

PROGRAM
