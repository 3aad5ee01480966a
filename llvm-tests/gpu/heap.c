// Blocks of the heap that a function asks for, overwrites first and frees are the device's alone: nothing of them is
// copied. What somebody else may read comes back, and what is read first is copied.

// RUN: %clang -O3 %s -o %t.host
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %t.host > %t.expected
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: not grep ptx-emulator %t.log
// CHECK-DAG: polyrs: between:0: device (PTX emulator): {{.*}} 8000 bytes in, 7984 bytes out
// CHECK-DAG: polyrs: of_zeros:0: device (PTX emulator): {{.*}} 8000 bytes in, 7984 bytes out
// CHECK-DAG: polyrs: looked_at:0: device (PTX emulator): {{.*}} 8000 bytes in, 15984 bytes out
// CHECK-DAG: polyrs: given:0: device (PTX emulator): {{.*}} 8000 bytes in, 15984 bytes out
// CHECK-DAG: polyrs: handed_on:0: device (PTX emulator): {{.*}} 8000 bytes in, 15984 bytes out
// CHECK-DAG: polyrs: grown:0: device (PTX emulator): {{.*}} 8000 bytes in, 15984 bytes out
// CHECK-DAG: polyrs: zeros_first:0: device (PTX emulator): {{.*}} 15984 bytes in, 15984 bytes out
// RUN: %emulator PTX_EMULATOR_ORDER=random=6 %t.gpu 2>&1 | diff %t.expected -
// RUN: %python %root/llvm-tests/gpu/Inputs/faults.py %t.expected 3 %emulator %t.gpu

// Functions that only have the names of the library's may do anything.
// RUN: %clang -O3 -fno-builtin -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.own -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.own 2>&1 >/dev/null | FileCheck %s --check-prefix=OWN
// OWN: polyrs: between:0: device (PTX emulator): {{.*}} 15984 bytes out

#include "Inputs/tell.h"
#include <stdlib.h>

#define SUMS(t)                                                                                                                              \
  for (int i = 0; i < 1000; i++)                                                                                                             \
    t[i] = a[i] * 2;                                                                                                                         \
  for (int i = 1; i < 999; i++)                                                                                                              \
    b[i] = t[i - 1] + t[i + 1];

__attribute__((noinline)) void between(const double *restrict a, double *restrict b) {
  double *t = malloc(1000 * sizeof *t);
  SUMS(t)
  free(t);
}

__attribute__((noinline)) void of_zeros(const double *restrict a, double *restrict b) {
  double *t = calloc(1000, sizeof *t);
  SUMS(t)
  free(t);
}

__attribute__((noinline)) double looked_at(int which, const double *restrict a, double *restrict b) {
  double *t = malloc(1000 * sizeof *t);
  SUMS(t)
  double found = t[which];
  free(t);
  return found;
}

// The caller's: that it is freed does not say that nobody has read it.
__attribute__((noinline)) double *given(const double *restrict a, double *restrict b) {
  double *t = malloc(1000 * sizeof *t);
  SUMS(t)
  return t;
}

__attribute__((noinline)) double last(const double *t) { return t[999]; }

__attribute__((noinline)) double handed_on(const double *restrict a, double *restrict b) {
  double *t = malloc(1000 * sizeof *t);
  SUMS(t)
  double found = last(t);
  free(t);
  return found;
}

// What is moved is read.
__attribute__((noinline)) double *grown(const double *restrict a, double *restrict b) {
  double *t = malloc(1000 * sizeof *t);
  SUMS(t)
  return realloc(t, 2000 * sizeof *t);
}

// The ends are read without being written.
__attribute__((noinline)) void zeros_first(const double *restrict a, double *restrict b) {
  double *t = calloc(1000, sizeof *t);
  for (int i = 1; i < 999; i++)
    t[i] = a[i] * 2;
  for (int i = 1; i < 999; i++)
    b[i] = t[i - 1] + t[i + 1];
  free(t);
}

__attribute__((annotate("polyrs:off"))) int main(void) {
  static double a[1000], b[1000];
  for (int i = 0; i < 1000; i++)
    a[i] = (i * 7919 + 1) % 1009 / 17.0;
  between(a, b);
  tell("between", b, sizeof b);
  of_zeros(a, b);
  tell("of zeros", b, sizeof b);
  printf("%.17g\n", looked_at(17, a, b));
  tell("looked at", b, sizeof b);
  double *t = given(a, b);
  tell("given", t, sizeof a);
  free(t);
  printf("%.17g\n", handed_on(a, b));
  t = grown(a, b);
  tell("grown", t, sizeof a);
  free(t);
  zeros_first(a, b);
  tell("zeros first", b, sizeof b);
  return 0;
}
