/* 2mm: D := alpha * A * B * C + beta * D. */
#include "harness.h"

#ifndef NI
#define NI SIZE(16, 40, 180, 800)
#endif
#ifndef NJ
#define NJ SIZE(18, 50, 190, 900)
#endif
#ifndef NK
#define NK SIZE(22, 70, 210, 1100)
#endif
#ifndef NL
#define NL SIZE(24, 80, 220, 1200)
#endif
CONSTANTS(ni = NI, nj = NJ, nk = NK, nl = NL)
#define SIZES int ni, int nj, int nk, int nl
#define ARRAYS                                                                                      \
    MAT(double, T, ni, nj), MAT(double, A, ni, nk), MAT(double, B, nk, nj), MAT(double, C, nj, nl), \
        MAT(double, D, ni, nl)
#define T(i, j) AT2(T, i, j, nj)
#define A(i, k) AT2(A, i, k, nk)
#define B(k, j) AT2(B, k, j, nj)
#define C(j, l) AT2(C, j, l, nl)
#define D(i, l) AT2(D, i, l, nl)

STORE2(double, T, NI, NJ)
STORE2(double, A, NI, NK)
STORE2(double, B, NK, NJ)
STORE2(double, C, NJ, NL)
STORE2(double, D, NI, NL)

FUNCTION(init)
{
    for (int i = 0; i < ni; i++)
        for (int k = 0; k < nk; k++)
            A(i, k) = input(i, k);
    for (int k = 0; k < nk; k++)
        for (int j = 0; j < nj; j++)
            B(k, j) = input(k, j + 1);
    for (int j = 0; j < nj; j++)
        for (int l = 0; l < nl; l++)
            C(j, l) = input(j + 3, l + 1);
    for (int i = 0; i < ni; i++)
        for (int l = 0; l < nl; l++)
            D(i, l) = input(i, l + 2);
}

KERNEL(double alpha, double beta)
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            T(i, j) = 0.0;
            for (int k = 0; k < nk; k++)
                T(i, j) += alpha * A(i, k) * B(k, j);
        }
    for (int i = 0; i < ni; i++)
        for (int l = 0; l < nl; l++) {
            D(i, l) *= beta;
            for (int j = 0; j < nj; j++)
                D(i, l) += T(i, j) * C(j, l);
        }
}

FUNCTION(dump)
{
    OUTPUT(T, ni * nj);
    OUTPUT(D, ni * nl);
}

MAIN((NI, NJ, NK, NL), (T, A, B, C, D), (1.5, 1.2))
