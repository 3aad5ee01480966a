/* fdtd-2d: finite differences in time of the electric (ex, ey) and magnetic (hz) field in a plane. */
#include "harness.h"

#ifndef TMAX
#define TMAX SIZE(20, 40, 100, 500)
#endif
#ifndef NX
#define NX SIZE(20, 60, 200, 1000)
#endif
#ifndef NY
#define NY SIZE(30, 80, 240, 1200)
#endif
CONSTANTS(tmax = TMAX, nx = NX, ny = NY)
#define SIZES int tmax, int nx, int ny
#define ARRAYS                                                                    \
    MAT(double, ex, nx, ny), MAT(double, ey, nx, ny), MAT(double, hz, nx, ny), VEC(double, source, tmax)
#define ex(i, j) AT2(ex, i, j, ny)
#define ey(i, j) AT2(ey, i, j, ny)
#define hz(i, j) AT2(hz, i, j, ny)
#define source(t) AT1(source, t)

STORE2(double, ex, NX, NY)
STORE2(double, ey, NX, NY)
STORE2(double, hz, NX, NY)
STORE1(double, source, TMAX)

FUNCTION(init)
{
    for (int t = 0; t < tmax; t++)
        source(t) = input(t, 7);
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++) {
            ex(i, j) = input(i, j + 1);
            ey(i, j) = input(i, j + 2);
            hz(i, j) = input(i, j + 3);
        }
}

KERNEL()
{
    for (int t = 0; t < tmax; t++) {
        for (int j = 0; j < ny; j++)
            ey(0, j) = source(t);
        for (int i = 1; i < nx; i++)
            for (int j = 0; j < ny; j++)
                ey(i, j) = ey(i, j) - 0.5 * (hz(i, j) - hz(i - 1, j));
        for (int i = 0; i < nx; i++)
            for (int j = 1; j < ny; j++)
                ex(i, j) = ex(i, j) - 0.5 * (hz(i, j) - hz(i, j - 1));
        for (int i = 0; i < nx - 1; i++)
            for (int j = 0; j < ny - 1; j++)
                hz(i, j) = hz(i, j) - 0.7 * (ex(i, j + 1) - ex(i, j) + ey(i + 1, j) - ey(i, j));
    }
}

FUNCTION(dump)
{
    OUTPUT(ex, nx * ny);
    OUTPUT(ey, nx * ny);
    OUTPUT(hz, nx * ny);
}

MAIN((TMAX, NX, NY), (ex, ey, hz, source), ())
