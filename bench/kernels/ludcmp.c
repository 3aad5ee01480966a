/* ludcmp: solves A * x = b by LU decomposition, forward and back substitution, each sum in a scalar. */
#include "harness.h"

#ifndef N
#define N SIZE(40, 120, 400, 2000)
#endif
CONSTANTS(n = N)
#define SIZES int n
#define ARRAYS MAT(double, A, n, n), VEC(double, b, n), VEC(double, x, n), VEC(double, y, n)
#define A(i, j) AT2(A, i, j, n)
#define b(i) AT1(b, i)
#define x(i) AT1(x, i)
#define y(i) AT1(y, i)

STORE2(double, A, N, N)
STORE1(double, b, N)
STORE1(double, x, N)
STORE1(double, y, N)

FUNCTION(init)
{
    for (int i = 0; i < n; i++) {
        b(i) = input(i, 1);
        x(i) = 0.0;
        y(i) = 0.0;
        for (int j = 0; j < n; j++)
            A(i, j) = i == j ? n + positive(i, i) : input(i, j);
    }
}

KERNEL()
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double sum = A(i, j);
            for (int k = 0; k < j; k++)
                sum -= A(i, k) * A(k, j);
            A(i, j) = sum / A(j, j);
        }
        for (int j = i; j < n; j++) {
            double sum = A(i, j);
            for (int k = 0; k < i; k++)
                sum -= A(i, k) * A(k, j);
            A(i, j) = sum;
        }
    }
    for (int i = 0; i < n; i++) {
        double sum = b(i);
        for (int j = 0; j < i; j++)
            sum -= A(i, j) * y(j);
        y(i) = sum;
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = y(i);
        for (int j = i + 1; j < n; j++)
            sum -= A(i, j) * x(j);
        x(i) = sum / A(i, i);
    }
}

FUNCTION(dump)
{
    OUTPUT(A, n * n);
    OUTPUT(y, n);
    OUTPUT(x, n);
}

MAIN((N), (A, b, x, y), ())
