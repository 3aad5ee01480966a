// Threads with tiles of elements in registers, for matrix products: the host's bits, with whole tiles and at the rims;
// fewer accesses; and neighbours in a warp access neighbours in memory. What a kernel only reads need not be coherent.

// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator PTX_EMULATOR_STATS=1 %t.gpu > %t.out 2> %t.tiled
// RUN: diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-register-tile=1,1 %s -o %t.plain -L%rt -lpolyrs_rt
// RUN: %emulator PTX_EMULATOR_STATS=1 %t.plain > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: %python %root/llvm-tests/gpu/Inputs/counts.py %t.log %t.tiled "polyrs_doubles_\d+ requests 2.5" "polyrs_doubles_\d+ instructions 2.5" "polyrs_floats_\d+ requests 2.2"
// RUN: %python %root/llvm-tests/gpu/Inputs/counts.py --sectors %t.tiled "polyrs_doubles_\d+ 8.5" "polyrs_floats_\d+ 4.5" "polyrs_stencil_\d+ 10"

// Other orders of threads; fused operations; tiles of other sizes.
// RUN: %emulator PTX_EMULATOR_ORDER=random=3 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-register-tile=3,2 -mllvm -polyrs-gpu-sizes=16,2 %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator PTX_EMULATOR_ORDER=backward %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log

// RUN: %polyrs explain --gpu %s 2>&1 | FileCheck %s
// Tiles of 8 by 8 elements, for rows as long as values say, too: blocks are narrower. None where elements do not come
// again.
// CHECK: polyrs_doubles_{{.*}}: grid floord(m - 1, 256) + 1 x floord(n - 1, 32) + 1 x 1, block 32 x 4 x 1
// CHECK: if (
// CHECK: ld.global.nc
// CHECK: polyrs_floats_{{.*}}: grid floord(m - 1, 256) + 1 x floord(n - 1, 32) + 1 x 1, block 32 x 4 x 1
// CHECK: polyrs_triangle_{{.*}}, block 32 x 4 x 1
// CHECK: polyrs_stencil_{{.*}}, block 32 x 8 x 1
// CHECK: ld.global.nc
// CHECK: polyrs_local_{{.*}}: grid floord(m - 1, 256) + 1 x floord(n - 1, 32) + 1 x 1, block 32 x 4 x 1
// CHECK: polyrs_longs_{{.*}}: grid floord(m - 1, 256) + 1 x floord(n - 1, 32) + 1 x 1, block 32 x 4 x 1
// CHECK-COUNT-64: mul.wide.u32
// CHECK: polyrs_several_{{.*}}: grid floord(n - 1, 256) + 1 x floord(n - 1, 32) + 1 x {{.*}}, block 32 x 4 x 1
// CHECK: polyrs_filters_{{.*}}: grid floord(n - 1, 128) + 1 x floord(n - 1, 24) + 1 x {{.*}}, block 32 x 4 x 1
// CHECK: polyrs_in_place_
// CHECK-NOT: ld.global.nc

// Elements are loaded and stored whole, also where only sums of local variables live in them.
// RUN: %polyrs explain --gpu %s 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: polyrs_local_
// WHOLE-NOT: {{ld|st}}.global.b8
// WHOLE: polyrs_in_place_

#include "Inputs/tell.h"
#include <stdlib.h>

__attribute__((noinline)) void doubles(int n, int m, int k, double a[restrict n][k], double b[restrict k][m], double c[restrict n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int l = 0; l < k; l++)
        c[i][j] += a[i][l] * b[l][j];
}

__attribute__((noinline)) void floats(int n, int m, int k, float a[restrict n][k], float b[restrict k][m], float c[restrict n][m]) {
  for (int i = 0; i < n; i++)
    for (int l = 0; l < k; l++)
      for (int j = 0; j < m; j++)
        c[i][j] -= a[i][l] * b[l][j];
}

__attribute__((noinline)) void triangle(int n, int k, double a[restrict n][k], double b[restrict k][n], double c[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int l = 0; l < k; l++)
        c[i][j] += a[i][l] * b[l][j];
}

__attribute__((noinline)) void stencil(int n, int m, double a[restrict n][m], double b[restrict n][m]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      b[i][j] = a[i - 1][j] + a[i + 1][j] - a[i][j - 1] * a[i][j + 1];
}

__attribute__((noinline)) void local(int n, int m, int k, double a[restrict n][k], double b[restrict k][m], double c[restrict n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int l = 0; l < k; l++)
        s += a[i][l] * b[l][j];
      c[i][j] = s;
    }
}

// Products of long integers, half by half: nothing is spilled (tests/gpu/test_ptxas.py).
__attribute__((noinline)) void longs(int n, int m, int k, long a[restrict n][k], long b[restrict k][m], long c[restrict n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int l = 0; l < k; l++)
        c[i][j] += 3 * a[i][l] * b[l][j];
}

// Three loops side by side: rows of each array have an address of two values.
__attribute__((noinline)) void several(int o, int n, double a[restrict o][n][n], double b[restrict o][n][n], double c[restrict o][n][n]) {
  for (int h = 0; h < o; h++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double s = 0;
        for (int l = 0; l < n; l++)
          s += a[h][i][l] * b[h][l][j];
        c[h][i][j] = s;
      }
}

// Loops inside keep addresses of their own: tiles are smaller.
__attribute__((noinline)) void filters(int o, int n, int k, double a[restrict k][n + 2][n + 2], double b[restrict o][k][3][3], double c[restrict o][n][n]) {
  for (int h = 0; h < o; h++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int l = 0; l < k; l++)
          for (int x = 0; x < 3; x++)
            for (int y = 0; y < 3; y++)
              c[h][i][j] += a[l][i + x][j + y] * b[h][l][x][y];
}

__attribute__((noinline)) void in_place(int n, double a[restrict n]) {
  for (int i = 0; i < n; i++)
    a[i] = a[i] * 3;
}

#define FILL(all, n, seed)                                                                                                                 \
  for (int i = 0; i < (n); i++)                                                                                                            \
  (all)[i] = (i * 7919 + (seed)) % 1009 / 17.0 + 0.1

int main(void) {
  enum { N = 70, M = 300, K = 11 };
  static double a[N * M], b[N * M], c[N * M];
  static float f[N * M], g[N * M], h[N * M];
  FILL(a, N * M, 1);
  FILL(b, N * M, 2);
  FILL(c, N * M, 3);
  FILL(f, N * M, 4);
  FILL(g, N * M, 5);
  FILL(h, N * M, 6);
  doubles(N, M, K, (void *)a, (void *)b, (void *)c);
  tell("doubles", c, sizeof c);
  doubles(64, 256, K, (void *)a, (void *)b, (void *)c);
  tell("whole tiles", c, sizeof c);
  doubles(3, 5, 0, (void *)a, (void *)b, (void *)c);
  doubles(1, 1, 1, (void *)a, (void *)b, (void *)c);
  tell("small", c, sizeof c);
  floats(N, M, K, (void *)f, (void *)g, (void *)h);
  tell("floats", h, sizeof h);
  triangle(140, K, (void *)a, (void *)b, (void *)c);
  tell("triangle", c, sizeof c);
  stencil(N, M, (void *)a, (void *)b);
  tell("stencil", b, sizeof b);
  local(N, M, K, (void *)a, (void *)b, (void *)c);
  tell("local", c, sizeof c);
  longs(N, M, K, (void *)a, (void *)b, (void *)c);
  tell("longs", c, sizeof c);
  several(5, 41, (void *)a, (void *)b, (void *)c);
  tell("several", c, sizeof c);
  filters(3, 41, 5, (void *)a, (void *)b, (void *)c);
  tell("filters", c, sizeof c);
  in_place(N * M, a);
  tell("in place", a, sizeof a);
  return 0;
}
