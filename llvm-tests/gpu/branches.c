// Branches on data: where each way touches the element it is copied as any other one; what only one way touches may not
// be there, and the loop stays with the host, unless the array is a variable of known size.

// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -Rpass-missed=polyrs %s -o %t.gpu -L%rt -lpolyrs_rt 2>&1 | FileCheck %s --check-prefix=STAYS
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: %emulator PTX_EMULATOR_ORDER=random=8 %t.gpu 2>&1 | diff %t.expected -
// RUN: %python %root/llvm-tests/gpu/Inputs/faults.py %t.expected 3 %emulator %t.gpu

// CHECK-NOT: ptx-emulator:
// CHECK-DAG: polyrs: updated:0: device (PTX emulator): 1 launches, 1600 bytes in, 800 bytes out
// CHECK-DAG: polyrs: two:0: device (PTX emulator): 1 launches, 2400 bytes in, 1600 bytes out
// CHECK-DAG: polyrs: nested:0: device (PTX emulator): 1 launches, 800 bytes in, 400 bytes out
// CHECK-DAG: polyrs: behind:0: device (PTX emulator)
// CHECK-DAG: polyrs: of_known_size:0: device (PTX emulator): 1 launches, 15200 bytes in, 8000 bytes out
// CHECK-NOT: polyrs: {{one_way|elsewhere|one_of_three}}

// STAYS-NOT: no kernel
#include "Inputs/tell.h"
#include <stdlib.h>

__attribute__((noinline)) void updated(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
    if (a[i] > 30)
      b[i] += a[i];
    else
      b[i] = a[i] * 2;
}

__attribute__((noinline)) void two(int n, const double *restrict a, double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++)
    if (a[i] > 30) {
      b[i] += a[i];
      c[i] = 1;
    } else {
      b[i] = a[i] * 2;
      c[i] = c[i] * b[i] / 3;
    }
}

// One way writes, one only reads.
__attribute__((noinline)) void nested(int n, const int *restrict a, int *restrict b) {
  for (int i = 0; i < n; i++)
    if (a[i] > 300)
      b[i] += a[i] / 3;
    else if (b[i] > 5)
      b[i] = b[i] % 7;
}

// What one way touches is touched in any case by what follows.
__attribute__((noinline)) void behind(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
    if (a[i] > 30)
      b[i] = a[i];
  for (int i = 0; i < n; i++)
    b[i] = b[i] * 0.5;
}

static double x[1000], y[1000];

__attribute__((noinline)) void of_known_size(void) {
  for (int i = 0; i < 900; i++)
    if (x[i] > 30)
      y[i] += x[i];
}

// STAYS: [[@LINE+2]]:3: remark: loops get no kernel for a GPU: conditions on data decide what is accessed
__attribute__((noinline)) void one_way(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
    if (a[i] > 30)
      b[i] += a[i];
}

// STAYS: [[@LINE+2]]:3: remark: loops get no kernel for a GPU: conditions on data decide what is accessed
__attribute__((noinline)) void elsewhere(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
    if (a[i] > 30)
      b[i] += a[i];
    else
      b[i + 1] = a[i];
}

// STAYS: [[@LINE+2]]:3: remark: loops get no kernel for a GPU: conditions on data decide what is accessed
__attribute__((noinline)) void one_of_three(int n, const int *restrict a, int *restrict b) {
  for (int i = 0; i < n; i++)
    if (a[i] > 300)
      b[i] += a[i];
    else if (a[i] > 100)
      b[i] = 3;
}

// STAYS-NOT: no kernel
__attribute__((annotate("polyrs:off"))) static void *filled(int n, int seed, int ints) {
  double *all = malloc(n * sizeof *all);
  for (int i = 0; i < n; i++)
    if (ints)
      ((int *)all)[i] = (i * 7919 + seed) % 1009;
    else
      all[i] = ((i * 7919 + seed) % 1009) / 17.0;
  return all;
}

__attribute__((annotate("polyrs:off"))) int main(void) {
  double *a = filled(101, 1, 0), *b = filled(101, 2, 0), *c = filled(101, 3, 0);
  int *u = filled(101, 4, 1), *v = filled(101, 5, 1);
  updated(100, a, b);
  updated(0, a, b);
  tell("updated", b, 808);
  two(100, a, b, c);
  tell("two", b, 808);
  tell("two", c, 808);
  nested(100, u, v);
  tell("nested", v, 404);
  behind(100, a, c);
  tell("behind", c, 808);
  for (int i = 0; i < 1000; i++)
    x[i] = i % 77, y[i] = i % 13;
  of_known_size();
  tell("known", y, sizeof y);
  one_way(100, a, b);
  elsewhere(100, a, b);
  one_of_three(100, u, v);
  tell("host", b, 808);
  tell("host", v, 404);
  return 0;
}
