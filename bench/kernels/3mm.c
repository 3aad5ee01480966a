/* 3mm: G := (A * B) * (C * D). */
#include "harness.h"

#ifndef NI
#define NI SIZE(16, 40, 180, 800)
#endif
#ifndef NJ
#define NJ SIZE(18, 50, 190, 900)
#endif
#ifndef NK
#define NK SIZE(20, 60, 200, 1000)
#endif
#ifndef NL
#define NL SIZE(22, 70, 210, 1100)
#endif
#ifndef NM
#define NM SIZE(24, 80, 220, 1200)
#endif
CONSTANTS(ni = NI, nj = NJ, nk = NK, nl = NL, nm = NM)
#define SIZES int ni, int nj, int nk, int nl, int nm
#define ARRAYS                                                                                      \
    MAT(double, E, ni, nj), MAT(double, A, ni, nk), MAT(double, B, nk, nj), MAT(double, F, nj, nl), \
        MAT(double, C, nj, nm), MAT(double, D, nm, nl), MAT(double, G, ni, nl)
#define A(i, k) AT2(A, i, k, nk)
#define B(k, j) AT2(B, k, j, nj)
#define C(j, m) AT2(C, j, m, nm)
#define D(m, l) AT2(D, m, l, nl)
#define E(i, j) AT2(E, i, j, nj)
#define F(j, l) AT2(F, j, l, nl)
#define G(i, l) AT2(G, i, l, nl)

STORE2(double, E, NI, NJ)
STORE2(double, A, NI, NK)
STORE2(double, B, NK, NJ)
STORE2(double, F, NJ, NL)
STORE2(double, C, NJ, NM)
STORE2(double, D, NM, NL)
STORE2(double, G, NI, NL)

FUNCTION(init)
{
    for (int i = 0; i < ni; i++)
        for (int k = 0; k < nk; k++)
            A(i, k) = input(i, k);
    for (int k = 0; k < nk; k++)
        for (int j = 0; j < nj; j++)
            B(k, j) = input(k, j + 1);
    for (int j = 0; j < nj; j++)
        for (int m = 0; m < nm; m++)
            C(j, m) = input(j + 3, m);
    for (int m = 0; m < nm; m++)
        for (int l = 0; l < nl; l++)
            D(m, l) = input(m, l + 2);
}

KERNEL()
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            E(i, j) = 0.0;
            for (int k = 0; k < nk; k++)
                E(i, j) += A(i, k) * B(k, j);
        }
    for (int j = 0; j < nj; j++)
        for (int l = 0; l < nl; l++) {
            F(j, l) = 0.0;
            for (int m = 0; m < nm; m++)
                F(j, l) += C(j, m) * D(m, l);
        }
    for (int i = 0; i < ni; i++)
        for (int l = 0; l < nl; l++) {
            G(i, l) = 0.0;
            for (int j = 0; j < nj; j++)
                G(i, l) += E(i, j) * F(j, l);
        }
}

FUNCTION(dump)
{
    OUTPUT(E, ni * nj);
    OUTPUT(F, nj * nl);
    OUTPUT(G, ni * nl);
}

MAIN((NI, NJ, NK, NL, NM), (E, A, B, F, C, D, G), ())
