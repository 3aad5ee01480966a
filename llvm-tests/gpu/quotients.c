// Elements that are named by quotients of counters, and such that are some steps apart: both ends of what is touched
// have a closed form, and are copied to the byte. Iterations that are some steps apart stay with the host.

// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -Rpass-missed=polyrs %s -o %t.gpu -L%rt -lpolyrs_rt 2>&1 | FileCheck %s --check-prefix=STAYS
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: %emulator PTX_EMULATOR_ORDER=random=3 %t.gpu 2>&1 | diff %t.expected -
// RUN: %python %root/llvm-tests/gpu/Inputs/faults.py %t.expected 3 %emulator %t.gpu

// A third of 0 to 99 is 0 to 33, and of 5 to 99 is 1 to 33. From 98 on in steps of 3 the last element is 2, from 99 on
// it is 0.
// CHECK-NOT: ptx-emulator:
// CHECK: polyrs: third:0: device (PTX emulator): 1 launches, 272 bytes in, 800 bytes out
// CHECK: polyrs: third:0: device (PTX emulator): 1 launches, 8 bytes in, 8 bytes out
// CHECK: polyrs: between:0: device (PTX emulator): 1 launches, 1024 bytes in, 760 bytes out
// CHECK: polyrs: planes:0: device (PTX emulator): 1 launches, 7512 bytes in, 6392 bytes out
// CHECK: polyrs: backwards:0: device (PTX emulator): 1 launches, 1552 bytes in, 776 bytes out
// CHECK: polyrs: backwards:0: device (PTX emulator): 1 launches, 1600 bytes in, 800 bytes out
// CHECK-NOT: {{ptx-emulator:|odd|shrunk}}

#include "Inputs/tell.h"
#include <stdlib.h>

__attribute__((noinline)) void third(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
    b[i] = a[i / 3] * 2;
}

__attribute__((noinline)) void between(unsigned from, unsigned to, const double *restrict a, double *restrict b) {
  for (unsigned i = from; i < to; i++)
    b[i] = a[i / 3] + b[i];
}

// Two neighbours become one.
// STAYS: [[@LINE+2]]:3: remark: loops get no kernel for a GPU: a loop for blocks and threads has strides
__attribute__((noinline)) void shrunk(unsigned n, const double *restrict a, double *restrict b) {
  for (unsigned i = 0; i < n; i++)
    if (i % 2 == 0)
      b[i / 2] = a[i] + a[i + 1] + b[i / 2];
}

// A plane that is twice as wide and three times as high.
__attribute__((noinline)) void planes(int n, int m, const double (*restrict a)[20], double (*restrict b)[40]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j] = a[i / 3][j / 2] - b[i][j];
}

__attribute__((noinline)) void backwards(int n, const double *restrict a, double *restrict b) {
  for (int i = n - 1; i >= 0; i -= 3)
    b[i] = a[i] * 3 - b[i];
}

// STAYS: [[@LINE+2]]:3: remark: loops get no kernel for a GPU: a loop for blocks and threads has strides
__attribute__((noinline)) void odd(unsigned n, const double *restrict a, double *restrict b) {
  for (unsigned i = 3; i < n; i++)
    if (i % 2 == 1)
      b[i] = a[i] * 3 - b[i];
}

// STAYS: [[@LINE+2]]:3: remark: loops get no kernel for a GPU: a subscript that is not affine says which elements are accessed
__attribute__((noinline)) void by_value(int n, const int *restrict of, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
    b[i] = a[i / 3 + of[i]] * 2;
}

__attribute__((annotate("polyrs:off"))) static double *filled(int n, int seed) {
  double *all = malloc(n * sizeof *all);
  for (int i = 0; i < n; i++)
    all[i] = ((i * 7919 + seed) % 1009) / 17.0;
  return all;
}

__attribute__((annotate("polyrs:off"))) int main(void) {
  // Not an element more than is touched.
  double *a = filled(34, 1), *b = filled(100, 2);
  third(100, a, b);
  tell("third", b, 800);
  third(1, a, b);
  third(0, a, b);
  between(5, 100, a, b);
  between(9, 9, a, b);
  tell("between", b, 800);
  double *c = filled(50, 3);
  shrunk(100, b, c);
  tell("shrunk", c, 400);
  double *p = filled(7 * 20, 4), *q = filled(20 * 40, 5);
  planes(20, 39, (void *)p, (void *)q);
  tell("planes", q, 20 * 40 * 8);
  backwards(99, b, p);
  backwards(100, b, p);
  tell("backwards", p, 800);
  odd(101, b, p);
  tell("odd", p, 800);
  return 0;
}
