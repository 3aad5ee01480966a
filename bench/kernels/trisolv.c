/* trisolv: solves L * x = b by forward substitution. */
#include "harness.h"

#ifndef N
#define N SIZE(40, 120, 400, 2000)
#endif
CONSTANTS(n = N)
#define SIZES int n
#define ARRAYS MAT(double, L, n, n), VEC(double, x, n), VEC(double, b, n)
#define L(i, j) AT2(L, i, j, n)
#define x(i) AT1(x, i)
#define b(i) AT1(b, i)

STORE2(double, L, N, N)
STORE1(double, x, N)
STORE1(double, b, N)

FUNCTION(init)
{
    for (int i = 0; i < n; i++) {
        b(i) = input(i, 1);
        for (int j = 0; j < n; j++)
            L(i, j) = i == j ? n + positive(i, i) : j < i ? input(i, j) : 0.0;
    }
}

KERNEL()
{
    for (int i = 0; i < n; i++) {
        x(i) = b(i);
        for (int j = 0; j < i; j++)
            x(i) -= L(i, j) * x(j);
        x(i) = x(i) / L(i, i);
    }
}

FUNCTION(dump) { OUTPUT(x, n); }

MAIN((N), (L, x, b), ())
