/* dft: discrete Fourier transform from tables. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 400, 1600)
#endif

static double c[N][N] ALIGNED, s[N][N] ALIGNED, x[N], re[N], im[N];

TIMED kernel(int n, double c[n][n], double s[n][n], const double *restrict x, double *restrict re, double *restrict im)
{
    for (int k = 0; k < n; k++)
        for (int t = 0; t < n; t++) {
            re[k] += x[t] * c[k][t];
            im[k] -= x[t] * s[k][t];
        }
}

static void init(void) { FILL(c, 1); FILL(s, 2); FILL(x, 3); FILL(re, 4); FILL(im, 5); }
static void call(void) { kernel(N, c, s, x, re, im); }
static void dump(void) { RESULT(re); RESULT(im); }

PROGRAM
