/* adi: alternating direction implicit solution of the heat equation on the unit square, one column sweep and one row
 * sweep per step, each a tridiagonal system solved by forward elimination (p, q) and back substitution. */
#include "harness.h"

#ifndef TSTEPS
#define TSTEPS SIZE(20, 40, 100, 500)
#endif
#ifndef N
#define N SIZE(20, 60, 200, 1000)
#endif
CONSTANTS(tsteps = TSTEPS, n = N)
#define SIZES int tsteps, int n
#define ARRAYS MAT(double, u, n, n), MAT(double, v, n, n), MAT(double, p, n, n), MAT(double, q, n, n)
#define u(i, j) AT2(u, i, j, n)
#define v(i, j) AT2(v, i, j, n)
#define p(i, j) AT2(p, i, j, n)
#define q(i, j) AT2(q, i, j, n)

STORE2(double, u, N, N)
STORE2(double, v, N, N)
STORE2(double, p, N, N)
STORE2(double, q, N, N)

FUNCTION(init)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            u(i, j) = positive(i, j);
            v(i, j) = p(i, j) = q(i, j) = 0.0;
        }
}

KERNEL()
{
    const double dx = 1.0 / n, dt = 1.0 / tsteps;
    const double across = dt / (dx * dx), along = 2.0 * dt / (dx * dx);
    const double a = -along / 2.0, b = 1.0 + along, c = a;
    const double d = -across / 2.0, e = 1.0 + across, f = d;

    for (int t = 1; t <= tsteps; t++) {
        for (int i = 1; i < n - 1; i++) {
            v(0, i) = 1.0;
            p(i, 0) = 0.0;
            q(i, 0) = v(0, i);
            for (int j = 1; j < n - 1; j++) {
                p(i, j) = -c / (a * p(i, j - 1) + b);
                q(i, j) = (-d * u(j, i - 1) + (1.0 + 2.0 * d) * u(j, i) - f * u(j, i + 1) - a * q(i, j - 1)) /
                          (a * p(i, j - 1) + b);
            }
            v(n - 1, i) = 1.0;
            for (int j = n - 2; j >= 1; j--)
                v(j, i) = p(i, j) * v(j + 1, i) + q(i, j);
        }
        for (int i = 1; i < n - 1; i++) {
            u(i, 0) = 1.0;
            p(i, 0) = 0.0;
            q(i, 0) = u(i, 0);
            for (int j = 1; j < n - 1; j++) {
                p(i, j) = -f / (d * p(i, j - 1) + e);
                q(i, j) = (-a * v(i - 1, j) + (1.0 + 2.0 * a) * v(i, j) - c * v(i + 1, j) - d * q(i, j - 1)) /
                          (d * p(i, j - 1) + e);
            }
            u(i, n - 1) = 1.0;
            for (int j = n - 2; j >= 1; j--)
                u(i, j) = p(i, j) * u(i, j + 1) + q(i, j);
        }
    }
}

FUNCTION(dump)
{
    OUTPUT(u, n * n);
    OUTPUT(v, n * n);
}

MAIN((TSTEPS, N), (u, v, p, q), ())
