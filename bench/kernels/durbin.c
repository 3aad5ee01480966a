/* durbin: Levinson and Durbin's solution of the Yule-Walker equations, a Toeplitz system, into y. */
#include "harness.h"

#ifndef N
#define N SIZE(40, 120, 400, 2000)
#endif
CONSTANTS(n = N)
#define SIZES int n
#define ARRAYS VEC(double, r, n), VEC(double, y, n), VEC(double, z, n)
#define r(i) AT1(r, i)
#define y(i) AT1(y, i)
#define z(i) AT1(z, i)

STORE1(double, r, N)
STORE1(double, y, N)
STORE1(double, z, N)

/* Falls off fast enough for the Toeplitz matrix to be diagonally dominant. */
FUNCTION(init)
{
    for (int i = 0; i < n; i++)
        r(i) = 0.25 * positive(i, 3) / ((i + 1.0) * (i + 1.0));
}

KERNEL()
{
    double alpha = -r(0), beta = 1.0;

    y(0) = -r(0);
    for (int k = 1; k < n; k++) {
        beta = (1.0 - alpha * alpha) * beta;
        double sum = 0.0;
        for (int i = 0; i < k; i++)
            sum += r(k - i - 1) * y(i);
        alpha = -(r(k) + sum) / beta;
        for (int i = 0; i < k; i++)
            z(i) = y(i) + alpha * y(k - i - 1);
        for (int i = 0; i < k; i++)
            y(i) = z(i);
        y(k) = alpha;
    }
}

FUNCTION(dump) { OUTPUT(y, n); }

MAIN((N), (r, y, z), ())
