/* gesummv: y := alpha * A * x + beta * B * x. */
#include "harness.h"

#ifndef N
#define N SIZE(30, 90, 250, 1300)
#endif
CONSTANTS(n = N)
#define SIZES int n
#define ARRAYS MAT(double, A, n, n), MAT(double, B, n, n), VEC(double, t, n), VEC(double, x, n), VEC(double, y, n)
#define A(i, j) AT2(A, i, j, n)
#define B(i, j) AT2(B, i, j, n)
#define t(i) AT1(t, i)
#define x(i) AT1(x, i)
#define y(i) AT1(y, i)

STORE2(double, A, N, N)
STORE2(double, B, N, N)
STORE1(double, t, N)
STORE1(double, x, N)
STORE1(double, y, N)

FUNCTION(init)
{
    for (int i = 0; i < n; i++) {
        x(i) = input(i, 1);
        for (int j = 0; j < n; j++) {
            A(i, j) = input(i, j);
            B(i, j) = input(i + 1, j + 2);
        }
    }
}

KERNEL(double alpha, double beta)
{
    for (int i = 0; i < n; i++) {
        t(i) = 0.0;
        y(i) = 0.0;
        for (int j = 0; j < n; j++) {
            t(i) = A(i, j) * x(j) + t(i);
            y(i) = B(i, j) * x(j) + y(i);
        }
        y(i) = alpha * t(i) + beta * y(i);
    }
}

FUNCTION(dump) { OUTPUT(y, n); }

MAIN((N), (A, B, t, x, y), (1.5, 1.2))
