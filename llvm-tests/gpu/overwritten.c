// What a region overwrites before it reads it is not copied to the device, and comes back; what it leaves alone
// somewhere, or reads first, is copied. The emulator tells of bytes that come back and that nobody has written.

// RUN: %clang -O3 %s -o %t.host
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %t.host > %t.expected
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: not grep ptx-emulator %t.log
// CHECK-DAG: polyrs: filled:0: device (PTX emulator): {{.*}} 8000 bytes in, 8000 bytes out
// CHECK-DAG: polyrs: product:0: device (PTX emulator): {{.*}} 28224 bytes in, 14112 bytes out
// CHECK-DAG: polyrs: inside:0: device (PTX emulator): {{.*}} 26848 bytes in, 13424 bytes out
// CHECK-DAG: polyrs: read_first:0: device (PTX emulator): {{.*}} 8008 bytes in, 8000 bytes out
// CHECK-DAG: polyrs: every_second:0: device (PTX emulator): {{.*}} 11992 bytes in, 7992 bytes out
// An array of the function that nobody reads behind the region stays there; one that somebody does comes back.
// CHECK-DAG: polyrs: between:0: device (PTX emulator): {{.*}} 8000 bytes in, 7984 bytes out
// CHECK-DAG: polyrs: plane:0: device (PTX emulator): {{.*}} 24944 bytes in, 12144 bytes out
// CHECK-DAG: polyrs: looked_at:0: device (PTX emulator): {{.*}} 8000 bytes in, 15984 bytes out
// RUN: %python %root/llvm-tests/gpu/Inputs/faults.py %t.expected 3 %emulator %t.gpu

// RUN: %polyrs explain --gpu %s 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: a copied out: [0] to [n - 1]
// EXPLAIN: t on the device only: {{.*}}[0] to [999]

#include "Inputs/tell.h"

__attribute__((noinline)) void filled(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] * 3;
}

// Read, but behind what writes it.
__attribute__((noinline)) void product(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] = 0;
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}

// Rows are left alone at their ends.
__attribute__((noinline)) void inside(int n, double a[restrict n][n], double b[restrict n][n]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i][j] = a[i][j] * 2;
}

__attribute__((noinline)) void read_first(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = a[i] * b[0];
}

__attribute__((noinline)) void every_second(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[2 * i] = b[i];
}

__attribute__((noinline)) void between(const double *restrict a, double *restrict b) {
  double t[1000];
  for (int i = 0; i < 1000; i++)
    t[i] = a[i] * 2;
  for (int i = 1; i < 999; i++)
    b[i] = t[i - 1] + t[i + 1];
}

__attribute__((noinline)) void plane(int n, const double a[restrict n][n], double b[restrict n][n]) {
  double t[n][n];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      t[i][j] = a[i][j] * 2;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i][j] += t[i - 1][j] - t[j][i + 1];
}

__attribute__((noinline)) double looked_at(int which, const double *restrict a, double *restrict b) {
  double t[1000];
  for (int i = 0; i < 1000; i++)
    t[i] = a[i] * 2;
  for (int i = 1; i < 999; i++)
    b[i] = t[i - 1] + t[i + 1];
  return t[which];
}

int main(void) {
  static double a[1800], b[1800], c[1800];
  for (int i = 0; i < 1800; i++) {
    a[i] = (i * 7919 + 1) % 1009 / 17.0;
    b[i] = (i * 7919 + 2) % 1009 / 19.0;
  }
  filled(1000, c, b);
  filled(0, c, b);
  tell("filled", c, sizeof c);
  product(42, (void *)a, (void *)b, (void *)c);
  tell("product", c, sizeof c);
  inside(42, (void *)a, (void *)c);
  tell("inside", c, sizeof c);
  read_first(1000, c, a);
  tell("read first", c, sizeof c);
  every_second(500, c, b);
  tell("every second", c, sizeof c);
  between(a, c);
  tell("between", c, sizeof c);
  plane(40, (void *)a, (void *)c);
  tell("plane", c, sizeof c);
  printf("%.17g\n", looked_at(17, b, c));
  tell("looked at", c, sizeof c);
  return 0;
}
