/* pair-forces: Lennard-Jones forces in single precision, global arrays. */
#include "unseen.h"

#ifndef N
#define N SIZE(20, 60, 300, 2000)
#endif

static float x[N], y[N], z[N], fx[N], fy[N], fz[N];

TIMED kernel(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
            float r2 = 1.0f / (dx * dx + dy * dy + dz * dz + 0.5f);
            float r6 = r2 * r2 * r2;
            float f = r6 * (r6 - 0.5f) * r2;
            fx[i] += f * dx;
            fy[i] += f * dy;
            fz[i] += f * dz;
        }
}

static void init(void)
{
    FILL_FLOAT(x, 1); FILL_FLOAT(y, 2); FILL_FLOAT(z, 3);
    FILL_FLOAT(fx, 4); FILL_FLOAT(fy, 5); FILL_FLOAT(fz, 6);
}
static void call(void) { kernel(); }
static void dump(void) { RESULT(fx); RESULT(fy); RESULT(fz); }

PROGRAM
