// How many blocks, threads and iterations of a block kernels have: as the user says, of all kernels or of one; else by
// a model of the device.

// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %polyrs explain --gpu %s | FileCheck %s
// Rows of a large product have the usual tiles; of a small one there are more blocks than with these; a short loop
// leaves threads to the other.
// CHECK: polyrs_large_0: grid 4 x 32 x 1, block 32 x 4 x 1, {{[0-9]+}} bytes of shared memory, room for {{[0-9]+}} % of a multiprocessor's threads
// CHECK: polyrs_small_1: grid 4 x 25 x 1, block 32 x 4 x 1
// CHECK: polyrs_narrow_2: grid 1 x 79 x 1, block 4 x 64 x 1

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-sizes=grid=3,2:block=16,4:1.block=8:0.tile=32,8 %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator PTX_EMULATOR_STATS=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s --check-prefix=USER < %t.log
// RUN: %emulator PTX_EMULATOR_ORDER=random=2 %t.gpu 2>&1 | diff %t.expected -
// USER-NOT: ptx-emulator: {{.*}} in line
// USER: polyrs_steps_{{[0-9]+}}: grid [3, 2, 1], block [16, 4, 1]
// USER: polyrs_steps_{{[0-9]+}}: grid [3, 1, 1], block [8, 1, 1]

// RUN: not %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-gpu-sizes=grids=3 %s -S -o - 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: 'grids=3' is none of block=, grid=, tile= with sizes

#include "Inputs/tell.h"

static double a[1000][1000], b[1000][1000], c[1000][1000], s[200][200], t[200][200], u[200][200], n[5000][3], m[5000][3], row[1000];

__attribute__((noinline)) void large(void) {
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 1000; j++)
      for (int k = 0; k < 10; k++)
        c[i][j] += a[i][k] * b[k][j];
}

__attribute__((noinline)) void small(void) {
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < 200; j++)
      for (int k = 0; k < 20; k++)
        s[i][j] += t[i][k] * u[k][j];
}

__attribute__((noinline)) void narrow(void) {
  for (int i = 0; i < 5000; i++)
    for (int j = 0; j < 3; j++)
      n[i][j] = m[i][j] * 3;
}

__attribute__((noinline)) void steps(void) {
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < 200; j++)
      s[i][j] = t[i][j] * u[j][i];
  for (int i = 0; i < 1000; i++)
    row[i] = row[i] + 1;
}

__attribute__((annotate("polyrs:off"))) int main(void) {
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < 200; j++)
      t[i][j] = (i * 7 + j) % 13, u[i][j] = (i + j * 5) % 11 / 7.0;
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 10; j++)
      a[i][j] = (i * 7 + j) % 13, b[j][i] = (i + j * 5) % 11 / 7.0;
  for (int i = 0; i < 5000; i++)
    m[i][1] = i;
  steps();
  tell("s", s, sizeof s);
  tell("row", row, sizeof row);
  small();
  tell("s", s, sizeof s);
  narrow();
  tell("n", n, sizeof n);
  return 0;
}
