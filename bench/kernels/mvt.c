/* mvt: x1 := x1 + A * y1 and x2 := x2 + transpose(A) * y2. */
#include "harness.h"

#ifndef N
#define N SIZE(40, 120, 400, 2000)
#endif
CONSTANTS(n = N)
#define SIZES int n
#define ARRAYS MAT(double, A, n, n), VEC(double, x1, n), VEC(double, x2, n), VEC(double, y1, n), VEC(double, y2, n)
#define A(i, j) AT2(A, i, j, n)
#define x1(i) AT1(x1, i)
#define x2(i) AT1(x2, i)
#define y1(j) AT1(y1, j)
#define y2(j) AT1(y2, j)

STORE2(double, A, N, N)
STORE1(double, x1, N)
STORE1(double, x2, N)
STORE1(double, y1, N)
STORE1(double, y2, N)

FUNCTION(init)
{
    for (int i = 0; i < n; i++) {
        x1(i) = input(i, 1);
        x2(i) = input(i, 2);
        y1(i) = input(i, 3);
        y2(i) = input(i, 4);
        for (int j = 0; j < n; j++)
            A(i, j) = input(i, j);
    }
}

KERNEL()
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x1(i) = x1(i) + A(i, j) * y1(j);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x2(i) = x2(i) + A(j, i) * y2(j);
}

FUNCTION(dump)
{
    OUTPUT(x1, n);
    OUTPUT(x2, n);
}

MAIN((N), (A, x1, x2, y1, y2), ())
