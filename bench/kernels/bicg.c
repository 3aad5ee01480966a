/* bicg: the two products of the biconjugate gradient method, s := transpose(A) * r and q := A * p. */
#include "harness.h"

#ifndef M
#define M SIZE(38, 116, 390, 1900)
#endif
#ifndef N
#define N SIZE(42, 124, 410, 2100)
#endif
CONSTANTS(m = M, n = N)
#define SIZES int m, int n
#define ARRAYS MAT(double, A, n, m), VEC(double, s, m), VEC(double, q, n), VEC(double, p, m), VEC(double, r, n)
#define A(i, j) AT2(A, i, j, m)
#define s(j) AT1(s, j)
#define q(i) AT1(q, i)
#define p(j) AT1(p, j)
#define r(i) AT1(r, i)

STORE2(double, A, N, M)
STORE1(double, s, M)
STORE1(double, q, N)
STORE1(double, p, M)
STORE1(double, r, N)

FUNCTION(init)
{
    for (int j = 0; j < m; j++)
        p(j) = input(j, 1);
    for (int i = 0; i < n; i++) {
        r(i) = input(i, 2);
        for (int j = 0; j < m; j++)
            A(i, j) = input(i, j);
    }
}

KERNEL()
{
    for (int j = 0; j < m; j++)
        s(j) = 0.0;
    for (int i = 0; i < n; i++) {
        q(i) = 0.0;
        for (int j = 0; j < m; j++) {
            s(j) = s(j) + r(i) * A(i, j);
            q(i) = q(i) + A(i, j) * p(j);
        }
    }
}

FUNCTION(dump)
{
    OUTPUT(s, m);
    OUTPUT(q, n);
}

MAIN((M, N), (A, s, q, p, r), ())
