/* thomas-columns: the same systems, each along a column. */
#include "unseen.h"

#ifndef M
#define M SIZE(20, 60, 300, 1000)
#endif
#ifndef N
#define N SIZE(30, 90, 300, 1200)
#endif

static double a[N][M] ALIGNED, b[N][M] ALIGNED, c[N][M] ALIGNED, d[N][M] ALIGNED;

TIMED kernel(int m, int n, double a[n][m], double b[n][m], double c[n][m], double d[n][m])
{
    for (int s = 0; s < m; s++) {
        for (int i = 1; i < n; i++) {
            double w = a[i][s] / b[i - 1][s];
            b[i][s] -= w * c[i - 1][s];
            d[i][s] -= w * d[i - 1][s];
        }
        d[n - 1][s] /= b[n - 1][s];
        for (int i = n - 2; i >= 0; i--)
            d[i][s] = (d[i][s] - c[i][s] * d[i + 1][s]) / b[i][s];
    }
}

static void init(void)
{
    FILL(a, 1);
    FILL(c, 2);
    FILL(d, 3);
    for (int i = 0; i < N; i++)
        for (int s = 0; s < M; s++)
            b[i][s] = 4.0;
}
static void call(void) { kernel(M, N, a, b, c, d); }
static void dump(void) { RESULT(d); }

PROGRAM
