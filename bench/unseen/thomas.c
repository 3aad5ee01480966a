/* thomas: many tridiagonal systems, each along a row. */
#include "unseen.h"

#ifndef M
#define M SIZE(20, 60, 300, 1200)
#endif
#ifndef N
#define N SIZE(30, 90, 300, 1000)
#endif

static double a[M][N] ALIGNED, b[M][N] ALIGNED, c[M][N] ALIGNED, d[M][N] ALIGNED;

TIMED kernel(void)
{
    for (int s = 0; s < M; s++) {
        for (int i = 1; i < N; i++) {
            double w = a[s][i] / b[s][i - 1];
            b[s][i] -= w * c[s][i - 1];
            d[s][i] -= w * d[s][i - 1];
        }
        d[s][N - 1] /= b[s][N - 1];
        for (int i = N - 2; i >= 0; i--)
            d[s][i] = (d[s][i] - c[s][i] * d[s][i + 1]) / b[s][i];
    }
}

static void init(void)
{
    FILL(a, 1);
    FILL(c, 2);
    FILL(d, 3);
    for (int s = 0; s < M; s++)
        for (int i = 0; i < N; i++)
            b[s][i] = 4.0;
}
static void call(void) { kernel(); }
static void dump(void) { RESULT(d); }

PROGRAM
