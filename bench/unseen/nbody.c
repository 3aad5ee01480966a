/* nbody: accelerations of bodies that attract each other. */
#include "unseen.h"

#ifndef N
#define N SIZE(20, 60, 300, 1500)
#endif

static double x[N], y[N], z[N], m[N], ax[N], ay[N], az[N];

TIMED kernel(int n, const double *restrict x, const double *restrict y, const double *restrict z, const double *restrict m,
             double *restrict ax, double *restrict ay, double *restrict az)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            double d2 = dx * dx + dy * dy + dz * dz + 1e-3;
            double f = m[j] / (d2 * sqrt(d2));
            ax[i] += f * dx;
            ay[i] += f * dy;
            az[i] += f * dz;
        }
}

static void init(void)
{
    FILL(x, 1); FILL(y, 2); FILL(z, 3); FILL_POSITIVE(m, 4);
    FILL(ax, 5); FILL(ay, 6); FILL(az, 7);
}
static void call(void) { kernel(N, x, y, z, m, ax, ay, az); }
static void dump(void) { RESULT(ax); RESULT(ay); RESULT(az); }

PROGRAM
