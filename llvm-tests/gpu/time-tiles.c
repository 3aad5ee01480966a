// Stencils in hexagonal tiles: a block runs several time steps of its tile, and its threads wait for each other behind
// each. The host's bits, for all small sizes, in other orders of threads, and on grids that are too small; less
// launches; what is left out is found.

// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-time-tile-sizes=3,4,6 %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// RUN: %emulator PTX_EMULATOR_ORDER=random=7 PTX_EMULATOR_GRID=2 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// RUN: %emulator PTX_EMULATOR_FAULT=launch=3 %t.gpu > %t.out
// RUN: diff %t.expected %t.out

// Small tiles: one time step in each half, and an odd number of threads.
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-time-tile-sizes=1,1 -mllvm -polyrs-gpu-sizes=48,3 %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator PTX_EMULATOR_ORDER=backward %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log

// Without a barrier, threads read what others have not written yet.
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-time-tile-sizes=4,8 -mllvm -polyrs-only-func=line %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu 2>&1 | FileCheck %s --check-prefix=TILED
// RUN: %emulator PTX_EMULATOR_FAULT=barrier=1 %t.gpu 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: ptx-emulator: {{.*}}race
// A launch per half tile, for 40 time steps of two statements each.
// TILED: polyrs: line:0: device (PTX emulator): 13 launches
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-time-tiles=false -mllvm -polyrs-only-func=line %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: polyrs: line:0: device (PTX emulator): 80 launches

// Taken where they are estimated to be faster: launches take longer than a line's time step, and less than a plane's.
// RUN: %polyrs explain --gpu %s 2>&1 | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: polyrs_line_{{.*}}, block 256 x 1 x 1
// CHOSEN: thread.x:256 wait
// CHOSEN: bar.sync
// CHOSEN: polyrs_plane_
// CHOSEN-NOT: wait
// CHOSEN: polyrs_waves_

#include "Inputs/tell.h"
#include <stdlib.h>

__attribute__((noinline)) void line(int steps, int n, double *restrict a, double *restrict b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
    for (int i = 1; i < n - 1; i++)
      a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3;
  }
}

__attribute__((noinline)) void plane(int steps, int n, int m, float a[restrict n][m], float b[restrict n][m]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        b[i][j] = 0.2f * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        a[i][j] = b[i][j];
  }
}

// Carried in each loop: no diamonds.
__attribute__((noinline)) void waves(int steps, int n, double a[restrict n][n]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j]) / 5;
}

__attribute__((noinline)) void solid(int steps, int n, double a[restrict n][n][n], double b[restrict n][n][n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          b[i][j][k] = a[i - 1][j][k] - a[i + 1][j][k] + a[i][j - 1][k] * 0.5 + a[i][j + 1][k] + a[i][j][k - 1] * 0.25 + a[i][j][k + 1];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          a[i][j][k] = b[i][j][k] * 0.125;
  }
}

// A statement with fewer loops than the others.
__attribute__((noinline)) void fields(int steps, int n, int m, double x[restrict n][m], double y[restrict n][m], double z[restrict n][m]) {
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < m; j++)
      y[0][j] = t;
    for (int i = 1; i < n; i++)
      for (int j = 0; j < m; j++)
        y[i][j] -= 0.5 * (z[i][j] - z[i - 1][j]);
    for (int i = 0; i < n; i++)
      for (int j = 1; j < m; j++)
        x[i][j] -= 0.5 * (z[i][j] - z[i][j - 1]);
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < m - 1; j++)
        z[i][j] -= 0.7 * (x[i][j + 1] - x[i][j] + y[i + 1][j] - y[i][j]);
  }
}

int main(void) {
  enum { MOST = 8000 };
  double *a = malloc(8 * MOST), *b = malloc(8 * MOST);
  float *f = malloc(4 * MOST), *g = malloc(4 * MOST);
  for (int i = 0; i < MOST; i++) {
    a[i] = i % 97 / 3.0;
    b[i] = i % 31;
    f[i] = (float)(i % 13);
    g[i] = (float)(i % 5);
  }
  line(40, 500, a, b);
  tell("line", a, 8 * MOST);
  for (int steps = 0; steps < 9; steps += 2)
    for (int n = 0; n < 70; n += 1 + n)
      line(steps + n % 2, n, a, b);
  tell("lines", a, 8 * MOST);
  plane(7, 37, 45, (void *)f, (void *)g);
  plane(3, 3, 3, (void *)f, (void *)g);
  plane(1, 2, 9, (void *)f, (void *)g);
  tell("plane", f, 4 * MOST);
  waves(2, 20, (void *)a);
  solid(5, 11, (void *)a, (void *)b);
  solid(2, 3, (void *)a, (void *)b);
  tell("solid", a, 8 * MOST);
  double *c = malloc(8 * MOST);
  for (int i = 0; i < MOST; i++)
    c[i] = i % 11 / 7.0;
  fields(7, 23, 31, (void *)a, (void *)b, (void *)c);
  fields(3, 2, 1, (void *)a, (void *)b, (void *)c);
  fields(2, 1, 5, (void *)a, (void *)b, (void *)c);
  tell("fields", c, 8 * MOST);
  tell("fields", b, 8 * MOST);
  return 0;
}
