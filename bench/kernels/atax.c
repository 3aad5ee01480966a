/* atax: y := transpose(A) * (A * x). */
#include "harness.h"

#ifndef M
#define M SIZE(38, 116, 390, 1900)
#endif
#ifndef N
#define N SIZE(42, 124, 410, 2100)
#endif
CONSTANTS(m = M, n = N)
#define SIZES int m, int n
#define ARRAYS MAT(double, A, m, n), VEC(double, x, n), VEC(double, y, n), VEC(double, t, m)
#define A(i, j) AT2(A, i, j, n)
#define x(j) AT1(x, j)
#define y(j) AT1(y, j)
#define t(i) AT1(t, i)

STORE2(double, A, M, N)
STORE1(double, x, N)
STORE1(double, y, N)
STORE1(double, t, M)

FUNCTION(init)
{
    for (int j = 0; j < n; j++)
        x(j) = input(j, 1);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            A(i, j) = input(i, j);
}

KERNEL()
{
    for (int j = 0; j < n; j++)
        y(j) = 0.0;
    for (int i = 0; i < m; i++) {
        t(i) = 0.0;
        for (int j = 0; j < n; j++)
            t(i) = t(i) + A(i, j) * x(j);
        for (int j = 0; j < n; j++)
            y(j) = y(j) + A(i, j) * t(i);
    }
}

FUNCTION(dump)
{
    OUTPUT(y, n);
    OUTPUT(t, m);
}

MAIN((M, N), (A, x, y, t), ())
