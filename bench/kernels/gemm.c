/* gemm: C := alpha * A * B + beta * C, rows of B in the innermost loop. */
#include "harness.h"

#ifndef NI
#define NI SIZE(20, 60, 200, 1000)
#endif
#ifndef NJ
#define NJ SIZE(25, 70, 220, 1100)
#endif
#ifndef NK
#define NK SIZE(30, 80, 240, 1200)
#endif
CONSTANTS(ni = NI, nj = NJ, nk = NK)
#define SIZES int ni, int nj, int nk
#define ARRAYS MAT(double, C, ni, nj), MAT(double, A, ni, nk), MAT(double, B, nk, nj)
#define C(i, j) AT2(C, i, j, nj)
#define A(i, k) AT2(A, i, k, nk)
#define B(k, j) AT2(B, k, j, nj)

STORE2(double, C, NI, NJ)
STORE2(double, A, NI, NK)
STORE2(double, B, NK, NJ)

FUNCTION(init)
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++)
            C(i, j) = input(i, j);
    for (int i = 0; i < ni; i++)
        for (int k = 0; k < nk; k++)
            A(i, k) = input(i + 1, k);
    for (int k = 0; k < nk; k++)
        for (int j = 0; j < nj; j++)
            B(k, j) = input(k, j + 2);
}

KERNEL(double alpha, double beta)
{
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++)
            C(i, j) *= beta;
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < nj; j++)
                C(i, j) += alpha * A(i, k) * B(k, j);
    }
}

FUNCTION(dump) { OUTPUT(C, ni * nj); }

MAIN((NI, NJ, NK), (C, A, B), (1.5, 1.2))
