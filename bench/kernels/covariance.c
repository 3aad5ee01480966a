/* covariance: the matrix of covariances of the m columns of n observations. */
#include "harness.h"

#ifndef M
#define M SIZE(28, 80, 240, 1200)
#endif
#ifndef N
#define N SIZE(32, 100, 260, 1400)
#endif
CONSTANTS(m = M, n = N)
#define SIZES int m, int n
#define ARRAYS MAT(double, data, n, m), MAT(double, cov, m, m), VEC(double, mean, m)
#define data(k, i) AT2(data, k, i, m)
#define cov(i, j) AT2(cov, i, j, m)
#define mean(j) AT1(mean, j)

STORE2(double, data, N, M)
STORE2(double, cov, M, M)
STORE1(double, mean, M)

FUNCTION(init)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++)
            data(k, i) = input(k, i);
}

KERNEL()
{
    const double count = n;

    for (int j = 0; j < m; j++) {
        mean(j) = 0.0;
        for (int i = 0; i < n; i++)
            mean(j) += data(i, j);
        mean(j) /= count;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data(i, j) -= mean(j);
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            cov(i, j) = 0.0;
            for (int k = 0; k < n; k++)
                cov(i, j) += data(k, i) * data(k, j);
            cov(i, j) /= count - 1.0;
            cov(j, i) = cov(i, j);
        }
}

FUNCTION(dump)
{
    OUTPUT(mean, m);
    OUTPUT(cov, m * m);
}

MAIN((M, N), (data, cov, mean), ())
