/* doitgen: A(r, q, p) := sum over s of A(r, q, s) * C4(s, p), as in multiresolution analysis. */
#include "harness.h"

#ifndef NQ
#define NQ SIZE(8, 20, 40, 140)
#endif
#ifndef NR
#define NR SIZE(10, 25, 50, 150)
#endif
#ifndef NP
#define NP SIZE(12, 30, 60, 160)
#endif
CONSTANTS(nq = NQ, nr = NR, np = NP)
#define SIZES int nq, int nr, int np
#define ARRAYS CUBE(double, A, nr, nq, np), MAT(double, C4, np, np), VEC(double, sum, np)
#define A(r, q, p) AT3(A, r, q, p, nq, np)
#define C4(s, p) AT2(C4, s, p, np)
#define sum(p) AT1(sum, p)

STORE3(double, A, NR, NQ, NP)
STORE2(double, C4, NP, NP)
STORE1(double, sum, NP)

FUNCTION(init)
{
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++)
            for (int p = 0; p < np; p++)
                A(r, q, p) = input(r + q, p + 2 * q);
    for (int s = 0; s < np; s++)
        for (int p = 0; p < np; p++)
            C4(s, p) = input(s, p);
}

KERNEL()
{
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++) {
            for (int p = 0; p < np; p++) {
                sum(p) = 0.0;
                for (int s = 0; s < np; s++)
                    sum(p) += A(r, q, s) * C4(s, p);
            }
            for (int p = 0; p < np; p++)
                A(r, q, p) = sum(p);
        }
}

FUNCTION(dump) { OUTPUT(A, nr * nq * np); }

MAIN((NQ, NR, NP), (A, C4, sum), ())
