/* gemver: two rank-one updates of A, then x := beta * transpose(A) * y + z and w := alpha * A * x. */
#include "harness.h"

#ifndef N
#define N SIZE(40, 120, 400, 2000)
#endif
CONSTANTS(n = N)
#define SIZES int n
#define ARRAYS                                                                                        \
    MAT(double, A, n, n), VEC(double, u1, n), VEC(double, v1, n), VEC(double, u2, n), VEC(double, v2, n), \
        VEC(double, w, n), VEC(double, x, n), VEC(double, y, n), VEC(double, z, n)
#define A(i, j) AT2(A, i, j, n)
#define u1(i) AT1(u1, i)
#define v1(i) AT1(v1, i)
#define u2(i) AT1(u2, i)
#define v2(i) AT1(v2, i)
#define w(i) AT1(w, i)
#define x(i) AT1(x, i)
#define y(i) AT1(y, i)
#define z(i) AT1(z, i)

STORE2(double, A, N, N)
STORE1(double, u1, N)
STORE1(double, v1, N)
STORE1(double, u2, N)
STORE1(double, v2, N)
STORE1(double, w, N)
STORE1(double, x, N)
STORE1(double, y, N)
STORE1(double, z, N)

FUNCTION(init)
{
    for (int i = 0; i < n; i++) {
        u1(i) = input(i, 1);
        u2(i) = input(i, 2);
        v1(i) = input(i, 3);
        v2(i) = input(i, 4);
        y(i) = input(i, 5);
        z(i) = input(i, 6);
        x(i) = 0.0;
        w(i) = 0.0;
        for (int j = 0; j < n; j++)
            A(i, j) = input(i, j);
    }
}

KERNEL(double alpha, double beta)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A(i, j) = A(i, j) + u1(i) * v1(j) + u2(i) * v2(j);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x(i) = x(i) + beta * A(j, i) * y(j);
    for (int i = 0; i < n; i++)
        x(i) = x(i) + z(i);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w(i) = w(i) + alpha * A(i, j) * x(j);
}

FUNCTION(dump)
{
    OUTPUT(A, n * n);
    OUTPUT(x, n);
    OUTPUT(w, n);
}

MAIN((N), (A, u1, v1, u2, v2, w, x, y, z), (1.5, 1.2))
