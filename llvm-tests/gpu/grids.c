// Loops of more strips than a grid can have blocks along y and z, 65535: that many are launched, and each goes on with
// the rest. Along x there are as many as there are strips.

// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-sizes=block=1,1,1 %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 PTX_EMULATOR_STATS=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// CHECK-NOT: ptx-emulator: {{.*}} in line
// CHECK-DAG: ptx-emulator: polyrs_tall_{{[0-9]}}: grid [2, 65535, 1], block [1, 1, 1]
// CHECK-DAG: ptx-emulator: polyrs_deep_{{[0-9]}}: grid [2, 2, 65535], block [1, 1, 1]
// CHECK-DAG: ptx-emulator: polyrs_wide_{{[0-9]}}: grid [70001, 1, 1], block [1, 1, 1]
// CHECK-DAG: polyrs: tall:0: device (PTX emulator): 1 launches
// CHECK-DAG: polyrs: deep:0: device (PTX emulator): 1 launches
// CHECK-DAG: polyrs: wide:0: device (PTX emulator): 1 launches

// Nothing else is said, in another order of blocks.
// RUN: %emulator PTX_EMULATOR_ORDER=backward %t.gpu 2>&1 | diff %t.expected -

// The same where the lengths are numbers, which the kernel knows.
// RUN: %clang -O3 -DN=70001 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-sizes=block=1,1,1 %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 PTX_EMULATOR_STATS=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log

#include "Inputs/tell.h"
#include <stdlib.h>

#ifndef N
#define N n
#endif

__attribute__((noinline)) void tall(long n, const short (*restrict a)[2], short (*restrict b)[2]) {
  for (long i = 0; i < N; i++)
    for (int j = 0; j < 2; j++)
      b[i][j] = (short)(a[i][j] * 3);
}

__attribute__((noinline)) void deep(long n, const char (*restrict a)[2][2], char (*restrict b)[2][2]) {
  for (long i = 0; i < N; i++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 2; k++)
        b[i][j][k] = (char)(a[i][j][k] + j * 3 - k);
}

__attribute__((noinline)) void wide(long n, const char *restrict a, char *restrict b) {
  for (long i = 0; i < N; i++)
    b[i] = (char)(a[i] ^ 5);
}

__attribute__((annotate("polyrs:off"))) int main(void) {
  long n = 70001;
  short *a = malloc(4 * n), *b = malloc(4 * n);
  for (long i = 0; i < 2 * n; i++)
    a[i] = (short)(i * 7919);
  tall(n, (void *)a, (void *)b);
  tell("tall", b, 4 * n);
  deep(n, (void *)a, (void *)b);
  tell("deep", b, 4 * n);
  wide(n, (void *)a, (void *)b);
  tell("wide", b, n);
  return 0;
}
