/* jacobi-1d: a three-point stencil on a line, from A to B and back in each step. */
#include "harness.h"

#ifndef TSTEPS
#define TSTEPS SIZE(20, 40, 100, 500)
#endif
#ifndef N
#define N SIZE(30, 120, 400, 2000)
#endif
CONSTANTS(tsteps = TSTEPS, n = N)
#define SIZES int tsteps, int n
#define ARRAYS VEC(double, A, n), VEC(double, B, n)
#define A(i) AT1(A, i)
#define B(i) AT1(B, i)

STORE1(double, A, N)
STORE1(double, B, N)

FUNCTION(init)
{
    for (int i = 0; i < n; i++) {
        A(i) = input(i, 1);
        B(i) = input(i, 2);
    }
}

KERNEL()
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            B(i) = 0.33333 * (A(i - 1) + A(i) + A(i + 1));
        for (int i = 1; i < n - 1; i++)
            A(i) = 0.33333 * (B(i - 1) + B(i) + B(i + 1));
    }
}

FUNCTION(dump)
{
    OUTPUT(A, n);
    OUTPUT(B, n);
}

MAIN((TSTEPS, N), (A, B), ())
