// Square roots that set errno where there is none: computed on the device, which says whether one has no result; errno
// is set behind the region then, and only then.

// RUN: %clang -O3 %s -o %t.host -lm
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -lm -L%rt -lpolyrs_rt
// RUN: %emulator PTX_EMULATOR_ORDER=random=2 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// Files that the library looks for and that are not there are not the program's.
// RUN: %emulator POLYRS_GPU=auto POLYRS_GPU_CACHE=%t.none/folder %t.gpu > %t.out
// RUN: diff %t.expected %t.out
// RUN: %no_driver POLYRS_GPU=auto %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: %emulator PTX_EMULATOR_FAULT=launch %t.gpu > %t.out
// RUN: diff %t.expected %t.out
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu 2>&1 | FileCheck %s
// CHECK: polyrs: roots:0: device
// CHECK: polyrs: halves:0: device
// CHECK: polyrs: norms:0: device
// CHECK-NOT: : host:

// Where errno is not wanted, there is nothing to say.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ERRNO
// RUN: %clang -O3 -fno-math-errno -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -S -emit-llvm %s -o - | FileCheck %s --check-prefix=NONE
// ERRNO: sqrt.rn.f64
// ERRNO: atom{{.*}}.or.b32
// NONE: sqrt.rn.f64
// NONE-NOT: .or.b32
// NONE-LABEL: define {{.*}}@roots(
// NONE-NOT: store i32 33

#include "Inputs/tell.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>

__attribute__((noinline)) void roots(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = sqrt(b[i]) + 1;
}

__attribute__((noinline)) void halves(int n, float *a) {
  for (int i = 0; i < n; i++)
    a[i] = sqrtf(a[i] * 2) * sqrtf(a[i]);
}

// One thread makes a root that others use.
__attribute__((noinline)) void norms(int n, double a[restrict n][n], double r[restrict n]) {
  for (int k = 0; k < n; k++) {
    double norm = 0;
    for (int i = 0; i < n; i++)
      norm += a[i][k] * a[i][k];
    r[k] = sqrt(norm);
    for (int j = k + 1; j < n; j++)
      for (int i = 0; i < n; i++)
        a[i][j] -= a[i][k] / r[k];
  }
}

static double a[600], b[600], c[20 * 20], r[20];
static float f[600];

static void show(const char *what) {
  printf("%s errno %d\n", what, errno);
  errno = 0;
}

int main(void) {
  for (int i = 0; i < 600; i++) {
    b[i] = i * 1.7;
    f[i] = (float)i / 3;
  }
  for (int i = 0; i < 400; i++)
    c[i] = i % 19 + 1;
  roots(600, a, b);
  show("roots");
  tell("roots", a, sizeof a);
  halves(600, f);
  show("halves");
  tell("halves", f, sizeof f);
  norms(20, (void *)c, r);
  show("norms");
  tell("norms", c, sizeof c);
  b[299] = -0.0;
  roots(300, a, b);
  show("minus zero");
  tell("minus zero", a, sizeof a);
  b[300] = __builtin_nan("");
  roots(301, a, b);
  show("no number");
  b[577] = -2;
  roots(577, a, b);
  show("not yet");
  roots(578, a, b);
  show("below zero");
  errno = 4;
  roots(577, a, b);
  show("left alone");
  f[3] = -1;
  halves(4, f);
  show("twice");
  roots(0, a, b);
  show("nothing");
  return 0;
}
