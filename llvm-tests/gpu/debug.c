// Kernels of programs with debug information, apart and put together by the linker (full and thin LTO), beside threads
// of the host: the host's bits on the device and without a driver, no finding, and debug information that holds for the
// program. PTX has none.
// REQUIRES: lld, libomp

// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -g -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -c %s -o %t.o
// RUN: llvm-dwarfdump --verify %t.o
// RUN: %clang %t.o -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: %clang -O3 -g -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -S -emit-llvm %s -o - | FileCheck %s --check-prefix=PTX

// RUN: env POLYRS_OPTIONS="-polyrs-target=gpu -polyrs-process-unprofitable -polyrs-parallel -polyrs-parallel-force" %clang -O3 -g -flto -fopenmp -fuse-ld=lld -Wl,--load-pass-plugin=%plugin -fpass-plugin=%plugin %s -o %t.full -L%rt -lpolyrs_rt
// RUN: llvm-dwarfdump --verify %t.full
// RUN: %emulator POLYRS_GPU_LOG=1 %t.full > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: %no_driver %t.full > %t.out
// RUN: diff %t.expected %t.out

// RUN: env POLYRS_OPTIONS="-polyrs-target=gpu -polyrs-process-unprofitable -polyrs-parallel -polyrs-parallel-force" %clang -O3 -g -flto=thin -fopenmp -fuse-ld=lld -Wl,--load-pass-plugin=%plugin -fpass-plugin=%plugin %s -o %t.thin -L%rt -lpolyrs_rt
// RUN: llvm-dwarfdump --verify %t.thin
// RUN: %emulator POLYRS_GPU_LOG=1 %t.thin > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: %no_driver %t.thin > %t.out
// RUN: diff %t.expected %t.out

// Under `opt`.
// RUN: %clang -O1 -g -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='default<O3>' -polyrs-target=gpu -polyrs-process-unprofitable %t.ll -S -o - | FileCheck %s --check-prefix=PTX

// CHECK-NOT: ptx-emulator:
// CHECK-DAG: polyrs: smooth:0: device (PTX emulator):
// CHECK-DAG: polyrs: total:0: device (PTX emulator):
// PTX: @polyrs.gpu.sm_60.ptx = private constant
// PTX-NOT: .loc
// PTX-SAME: .visible .entry polyrs_smooth_

#include <stdio.h>

__attribute__((noinline)) void smooth(int steps, int n, double a[restrict n][n], double b[restrict n][n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = b[i][j] * 1.5;
  }
}

__attribute__((noinline)) long total(int n, int m, int a[restrict n][m]) {
  long s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s += a[i][j] * (i - j);
  return s;
}

static double a[40][40], b[40][40];
static int c[50][70];

int main(void) {
  for (int i = 0; i < 1600; i++)
    a[0][i] = i % 77;
  for (int i = 0; i < 3500; i++)
    c[0][i] = i * 2654435761u >> 9;
  smooth(6, 40, a, b);
  double s = 0;
  for (int i = 0; i < 1600; i++)
    s = s / 3 + a[0][i];
  printf("%.17g %ld\n", s, total(50, 70, c));
  return 0;
}
