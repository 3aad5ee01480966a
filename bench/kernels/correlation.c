/* correlation: the matrix of correlation coefficients of the m columns of n observations. */
#include "harness.h"

#ifndef M
#define M SIZE(28, 80, 240, 1200)
#endif
#ifndef N
#define N SIZE(32, 100, 260, 1400)
#endif
CONSTANTS(m = M, n = N)
#define SIZES int m, int n
#define ARRAYS MAT(double, data, n, m), MAT(double, corr, m, m), VEC(double, mean, m), VEC(double, stddev, m)
#define data(k, i) AT2(data, k, i, m)
#define corr(i, j) AT2(corr, i, j, m)
#define mean(j) AT1(mean, j)
#define stddev(j) AT1(stddev, j)

STORE2(double, data, N, M)
STORE2(double, corr, M, M)
STORE1(double, mean, M)
STORE1(double, stddev, M)

FUNCTION(init)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++)
            data(k, i) = input(k, i) + 0.25 * input(i, k);
}

/* A column whose deviation is next to nothing counts as constant. */
KERNEL()
{
    const double count = n, constant = 0.1;

    for (int j = 0; j < m; j++) {
        mean(j) = 0.0;
        for (int i = 0; i < n; i++)
            mean(j) += data(i, j);
        mean(j) /= count;
    }
    for (int j = 0; j < m; j++) {
        stddev(j) = 0.0;
        for (int i = 0; i < n; i++)
            stddev(j) += (data(i, j) - mean(j)) * (data(i, j) - mean(j));
        stddev(j) /= count;
        stddev(j) = __builtin_sqrt(stddev(j));
        stddev(j) = stddev(j) <= constant ? 1.0 : stddev(j);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            data(i, j) -= mean(j);
            data(i, j) /= __builtin_sqrt(count) * stddev(j);
        }
    for (int i = 0; i < m - 1; i++) {
        corr(i, i) = 1.0;
        for (int j = i + 1; j < m; j++) {
            corr(i, j) = 0.0;
            for (int k = 0; k < n; k++)
                corr(i, j) += data(k, i) * data(k, j);
            corr(j, i) = corr(i, j);
        }
    }
    corr(m - 1, m - 1) = 1.0;
}

FUNCTION(dump)
{
    OUTPUT(stddev, m);
    OUTPUT(corr, m * m);
}

MAIN((M, N), (data, corr, mean, stddev), ())
