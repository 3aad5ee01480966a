// Regions with kernels of which no device is asked say why in the log, each of them: arrays that overlap, strides and
// sizes that the kernels are not for, less to do than the user asks for. Others run on the device, and what is computed
// is the same.

// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// CHECK-NOT: ptx-emulator:
// CHECK: polyrs: shifted:0: device (PTX emulator):
// CHECK-NEXT: polyrs: shifted:0: host: its arrays may overlap
// CHECK-NEXT: polyrs: strided:0: device (PTX emulator):
// CHECK-NEXT: polyrs: strided:0: host: its sizes or strides are not such as its kernels are for
// CHECK-NEXT: polyrs: between:0: device (PTX emulator):
// CHECK-NEXT: polyrs: between:1: device (PTX emulator):
// CHECK-NEXT: polyrs: between:0: host: its arrays may overlap
// CHECK-NEXT: polyrs: between:1: device (PTX emulator):
// CHECK-NOT: polyrs

// Nothing is said where nobody wants to know, and what the user wants goes before.
// RUN: %emulator %t.gpu 2>&1 | diff %t.expected -
// RUN: %emulator POLYRS_GPU=never POLYRS_GPU_LOG=1 %t.gpu 2>&1 >/dev/null | FileCheck %s --check-prefix=NEVER
// NEVER-COUNT-8: host: POLYRS_GPU=never
// NEVER-NOT: polyrs

// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-min-compute=1000000 %s -o %t.little -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.little > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s --check-prefix=LITTLE < %t.log
// LITTLE: polyrs: shifted:0: host: it has less to do than -polyrs-gpu-min-compute asks for
// LITTLE-NEXT: polyrs: shifted:0: host: its arrays may overlap

// Threads of the host beside it.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force %s -o %t.both -L%rt -lpolyrs_rt -fopenmp
// RUN: %emulator POLYRS_GPU_LOG=1 %t.both > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s --check-prefix=BOTH < %t.log
// BOTH-DAG: polyrs: shifted:0: host: its arrays may overlap
// BOTH-DAG: polyrs: strided:0: host: its sizes or strides are not such as its kernels are for

#include <stdio.h>

__attribute__((noinline)) void shifted(int n, double *a, double *b) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] * 1.25 + a[i];
}

__attribute__((noinline)) void strided(int n, int stride, float *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++)
    a[i * stride] = b[i] + 1.0f;
}

// What stays with the host ends what was on the device.
__attribute__((noinline)) void between(int n, double *a, double *b, double *restrict c) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] * 0.5;
  if (a[1] < 0)
    return;
  for (int i = 0; i < n; i++)
    c[i] = a[i] + c[i];
}

__attribute__((annotate("polyrs:off"))) static void show(const double *a, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum = sum * 1.0001 + a[i];
  printf("%.17g\n", sum);
}

static double x[2000], y[2000];
static float f[2000], g[2000];

__attribute__((annotate("polyrs:off"))) int main(void) {
  for (int i = 0; i < 2000; i++) {
    x[i] = i * 0.25;
    y[i] = i % 17;
    g[i] = i % 13;
  }
  shifted(1000, x, y);
  shifted(1000, x, x + 1);
  strided(500, 3, f, g);
  strided(500, -2, f + 1500, g);
  between(700, x, y, x + 1000);
  between(700, x, x + 1, y);
  show(x, 2000);
  show(y, 2000);
  float sum = 0;
  for (int i = 0; i < 2000; i++)
    sum = sum * 1.001f + f[i];
  printf("%.9g\n", sum);
  return 0;
}
