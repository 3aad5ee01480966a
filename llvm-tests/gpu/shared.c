// What blocks of threads read often, or far apart, they copy to shared memory: the host's bits in any order of threads,
// no race, no barrier in divergent flow, fewer accesses to memory; and what is found where a barrier is missing.

// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator PTX_EMULATOR_STATS=1 %t.gpu > %t.out 2> %t.shared
// RUN: diff %t.expected %t.out
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-shared-memory=false %s -o %t.plain -L%rt -lpolyrs_rt
// RUN: %emulator PTX_EMULATOR_STATS=1 %t.plain > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: %python %root/llvm-tests/gpu/Inputs/counts.py %t.log %t.shared "polyrs_product_\d+ requests 1.4" "polyrs_box_\d+ requests 4" "polyrs_rows_\d+ sectors 1.3" "polyrs_turned_\d+ sectors 1.9"
// RUN: %emulator PTX_EMULATOR_ORDER=backward %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// RUN: %emulator PTX_EMULATOR_ORDER=random=5 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log

// Without any of the barriers (numbered by the names of kernels: of `box` in front of a copy and behind it, of
// `product`, where two copies take turns, in front of the loop and behind a copy, of `rows` as of `product`, of
// `turned` as of `box`) the emulator finds what goes wrong: a block that runs several strips makes copies again. The
// one in front of a loop is missed where the number of its steps is odd, as here.
// RUN: %emulator PTX_EMULATOR_GRID=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// RUN: %emulator PTX_EMULATOR_GRID=1 PTX_EMULATOR_FAULT=barrier=1 %t.gpu 2>&1 >/dev/null | FileCheck %s --check-prefix=RACE
// RUN: %emulator PTX_EMULATOR_GRID=1 PTX_EMULATOR_FAULT=barrier=2 %t.gpu 2>&1 >/dev/null | FileCheck %s --check-prefix=RACE
// RUN: %emulator PTX_EMULATOR_GRID=1 PTX_EMULATOR_FAULT=barrier=3 %t.gpu 2>&1 >/dev/null | FileCheck %s --check-prefix=RACE
// RUN: %emulator PTX_EMULATOR_GRID=1 PTX_EMULATOR_FAULT=barrier=4 %t.gpu 2>&1 >/dev/null | FileCheck %s --check-prefix=RACE
// RUN: %emulator PTX_EMULATOR_GRID=1 PTX_EMULATOR_FAULT=barrier=5 %t.gpu 2>&1 >/dev/null | FileCheck %s --check-prefix=RACE
// RUN: %emulator PTX_EMULATOR_GRID=1 PTX_EMULATOR_FAULT=barrier=6 %t.gpu 2>&1 >/dev/null | FileCheck %s --check-prefix=RACE
// RUN: %emulator PTX_EMULATOR_GRID=1 PTX_EMULATOR_FAULT=barrier=7 %t.gpu 2>&1 >/dev/null | FileCheck %s --check-prefix=RACE
// RUN: %emulator PTX_EMULATOR_GRID=1 PTX_EMULATOR_FAULT=barrier=8 %t.gpu 2>&1 >/dev/null | FileCheck %s --check-prefix=RACE
// RACE: ptx-emulator: {{.*(race within a block|read of memory that nobody has written)}}

// Fused operations, blocks of other sizes; and as little shared memory as the user says.
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-sizes=24,6 -mllvm -polyrs-gpu-max-shared-bytes=6000 %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log

// RUN: %polyrs explain --gpu %s > %t.text 2>&1
// RUN: FileCheck %s < %t.text
// RUN: FileCheck %s --check-prefix=PTX < %t.text
// CHECK: polyrs_product_{{.*}}, block 32 x 4 x 1, 18432 bytes of shared memory
// CHECK: #pragma shared Arr{{[0-9]+}}[4][256] from {{.*}}, two that take turns
// CHECK: #pragma shared Arr{{[0-9]+}}[32][4] from {{.*}}, two that take turns
// CHECK: for ([[STEP:c[0-9]+]] = 0; [[STEP]] <= k - 1; [[STEP]] += 4)
// CHECK: } else {
// CHECK-NOT: #pragma shared
// CHECK: polyrs_box_{{.*}}, block 32 x 8 x 1, 2720 bytes of shared memory
// CHECK: #pragma shared Arr{{[0-9]+}}[10][34] from
// CHECK: polyrs_rows_{{.*}} 20480 bytes of shared memory
// Two copies of eight iterations each would leave room for too few blocks.
// CHECK: #pragma shared Arr{{[0-9]+}}[256][4] from [{{[^]]*}}][{{[^]]*}}], two that take turns
// Neighbours of a warp would all ask one bank: rows are one element longer.
// CHECK: polyrs_turned_{{.*}}, block 32 x 8 x 1, 2304 bytes of shared memory
// Where copies cost more than they save, where threads run different iterations, and where the kernel writes, there are
// none.
// CHECK: polyrs_star_{{.*}}, no shared memory
// CHECK: polyrs_triangle_{{.*}}, no shared memory
// CHECK: polyrs_in_place_{{.*}}, no shared memory
// PTX: .visible .entry polyrs_product_
// PTX: .shared .align 16 .b8 polyrs_product_{{[0-9]+}}_shared[18432];
// PTX: bar.sync 0;
// PTX: ld.global.nc
// PTX: st.shared
// PTX: bar.sync 0;
// PTX: ld.shared

// RUN: %polyrs explain --gpu -polyrs-gpu-max-shared-bytes=17000 %s 2>&1 | FileCheck %s --check-prefix=LESS
// LESS: polyrs_product_{{.*}}, 9216 bytes of shared memory
// LESS: #pragma shared Arr{{[0-9]+}}[4][256] from [{{[^]]*}}][{{[^]]*}}]{{$}}

#include "Inputs/tell.h"

__attribute__((noinline)) void product(int n, int m, int k, double a[restrict n][k], double b[restrict k][m], double c[restrict n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int l = 0; l < k; l++)
        c[i][j] += a[i][l] * b[l][j];
}

__attribute__((noinline)) void box(int n, int m, double a[restrict n][m], double b[restrict n][m]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      b[i][j] = a[i - 1][j - 1] + 2 * a[i - 1][j] + a[i - 1][j + 1] + 2 * a[i][j - 1] + 4 * a[i][j] + 2 * a[i][j + 1] +
                a[i + 1][j - 1] + 2 * a[i + 1][j] + a[i + 1][j + 1];
}

__attribute__((noinline)) void rows(int n, int m, double a[restrict n][m], double x[restrict m], double y[restrict n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += a[i][j] * x[j];
}

__attribute__((noinline)) void turned(int n, int m, double a[restrict n][m], double b[restrict m][n], double c[restrict m][n]) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      b[j][i] = a[i][j] - c[j][i];
}

__attribute__((noinline)) void star(int n, int m, double a[restrict n][m], double b[restrict n][m]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      b[i][j] = a[i - 1][j] + a[i + 1][j] - a[i][j - 1] * a[i][j + 1];
}

__attribute__((noinline)) void triangle(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int l = 0; l <= i; l++)
        c[i][j] += a[i][l] * b[l][j];
}

__attribute__((noinline)) void in_place(int n, int m, double a[restrict n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = a[i][j] * 3 + a[i][j] / 7;
}

#define FILL(all, n, seed)                                                                                                                 \
  for (int i = 0; i < (n); i++)                                                                                                            \
  (all)[i] = (i * 7919 + (seed)) % 1009 / 17.0 + 0.1

int main(void) {
  enum { N = 70, M = 300, K = 35 };
  static double a[N * M], b[N * M], c[N * M];
  FILL(a, N * M, 1);
  FILL(b, N * M, 2);
  FILL(c, N * M, 3);
  product(N, M, K, (void *)a, (void *)b, (void *)c);
  tell("product", c, sizeof c);
  product(64, 256, K, (void *)a, (void *)b, (void *)c);
  product(32, 256, 16, (void *)a, (void *)b, (void *)c);
  product(32, 256, 0, (void *)a, (void *)b, (void *)c);
  tell("whole tiles", c, sizeof c);
  box(N, M, (void *)a, (void *)b);
  box(3, 3, (void *)a, (void *)c);
  box(2, 9, (void *)a, (void *)c);
  tell("box", b, sizeof b);
  tell("small", c, sizeof c);
  rows(N, M, (void *)a, b, c);
  rows(512, 35, (void *)a, b, c);
  tell("rows", c, sizeof c);
  turned(N, M, (void *)a, (void *)b, (void *)c);
  tell("turned", b, sizeof b);
  star(N, M, (void *)a, (void *)b);
  tell("star", b, sizeof b);
  triangle(140, (void *)a, (void *)b, (void *)c);
  tell("triangle", c, sizeof c);
  in_place(N, M, (void *)a);
  tell("in place", a, sizeof a);
  return 0;
}
