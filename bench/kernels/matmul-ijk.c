/* matmul-ijk: C := C + A * B, the loops in the order of the definition. */
#include "harness.h"

#ifndef N
#define N SIZE(20, 64, 250, 1024)
#endif
CONSTANTS(n = N)
#define SIZES int n
#define ARRAYS MAT(double, C, n, n), MAT(double, A, n, n), MAT(double, B, n, n)
#define C(i, j) AT2(C, i, j, n)
#define A(i, k) AT2(A, i, k, n)
#define B(k, j) AT2(B, k, j, n)

STORE2(double, C, N, N)
STORE2(double, A, N, N)
STORE2(double, B, N, N)

FUNCTION(init)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            C(i, j) = input(i, j);
            A(i, j) = input(i + 1, j);
            B(i, j) = input(i, j + 2);
        }
}

KERNEL()
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C(i, j) += A(i, k) * B(k, j);
}

FUNCTION(dump) { OUTPUT(C, n * n); }

MAIN((N), (C, A, B), ())
