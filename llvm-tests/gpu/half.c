// Arrays of half precision: converted, added and multiplied with the host's bits; fused operations stay there.

// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 PTX_EMULATOR_ORDER=random=9 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// CHECK-NOT: ptx-emulator:
// CHECK-DAG: polyrs: axpy:0: device (PTX emulator):
// CHECK-DAG: polyrs: apart:0: device (PTX emulator):
// CHECK-DAG: polyrs: narrowed:0: device (PTX emulator):
// CHECK-DAG: polyrs: product:0: device (PTX emulator):
// CHECK-DAG: polyrs: chosen:0: device (PTX emulator):

// RUN: %clang -O3 -DOTHER -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OTHER

#ifdef OTHER
// OTHER: loops get no kernel for a GPU: an operation of half precision (call)
void fused(int n, _Float16 *restrict a, const _Float16 *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = __builtin_fmaf16(a[i], b[i], b[i]);
}

// OTHER: loops get no kernel for a GPU: a type is not for a GPU
void brain(int n, __bf16 *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = (__bf16)b[i];
}
#else
#include "Inputs/tell.h"

typedef _Float16 half;

__attribute__((noinline)) void axpy(int n, float x, half *restrict a, const half *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = (half)((float)a[i] * x + (float)b[i]);
}

// One operation, and each rounded.
__attribute__((noinline)) void apart(int n, half *restrict a, const half *restrict b) {
  for (int i = 0; i < n; i++) {
    half p = a[i] * b[i];
    half s = p + (half)0.1;
    a[i] = s - b[n - 1 - i];
  }
}

__attribute__((noinline)) void narrowed(int n, half *restrict a, const double *restrict x, const int *restrict k, double *restrict y) {
  for (int i = 0; i < n; i++) {
    y[i] = (double)a[i] + (double)(half)k[i];
    a[i] = (half)x[i];
  }
}

__attribute__((noinline)) void product(int n, half a[restrict n][n], half b[restrict n][n], float c[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += (float)a[i][k] * (float)b[k][j];
}

__attribute__((noinline)) void chosen(int n, half *restrict a, const half *restrict b, int *restrict k) {
  for (int i = 0; i < n; i++) {
    k[i] += (int)b[i];
    a[i] = a[i] < b[i] ? -b[i] : a[i] / (half)3;
  }
}

static half a[4000], b[4000], p[40][40], q[40][40];
static double x[4000], y[4000];
static float c[40][40];
static int k[4000];

int main(void) {
  for (int i = 0; i < 4000; i++) {
    a[i] = (half)((i * 37 % 101) / 8.0 - 3);
    b[i] = (half)(i % 7 ? 1.0 / (i + 1) : 60000.0 / (1 + i % 5));
    x[i] = (i % 3 ? 1e-7 : 30.0) * (i - 1900) / 3;
    k[i] = (i - 2000) * 37;
  }
  for (int i = 0; i < 1600; i++) {
    p[0][i] = (half)(i % 13 - 4.5);
    q[0][i] = (half)(1.0 / (i % 11 + 1));
  }
  axpy(4000, 1.25f, a, b);
  tell("axpy", a, sizeof a);
  apart(4000, a, b);
  tell("apart", a, sizeof a);
  narrowed(4000, a, x, k, y);
  tell("narrowed", a, sizeof a);
  tell("widened", y, sizeof y);
  product(40, p, q, c);
  tell("product", c, sizeof c);
  for (int i = 0; i < 4000; i++)
    b[i] = (half)(i % 19 - 9.5);
  chosen(4000, a, b, k);
  tell("chosen", a, sizeof a);
  tell("numbers", k, sizeof k);
  return 0;
}
#endif
