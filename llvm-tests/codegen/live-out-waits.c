// New code that hands a value on waits until simplification is over, as other new code does, and stays apart from the
// original beside it: the value comes back in memory.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O1 -march=x86-64-v3 %s -o %t.plain
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin %s -o %t.new
// RUN: %t.plain > %t.plain.txt && %t.new > %t.new.txt && cmp %t.plain.txt %t.new.txt

#include <stdio.h>

#define NOINLINE __attribute__((noinline))

// CHECK-LABEL: define {{.*}}@product(
// CHECK: call {{.*}}@product.polyrs.0(
NOINLINE double product(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  double trace = 0;
  for (int i = 0; i < n; i++)
    trace += c[i * n + i];
  return trace;
}

static double a[150 * 150], b[150 * 150], c[150 * 150 + 150];

int main(void) {
  for (int n = 0; n < 151; n += 1 + n / 2) {
    for (int i = 0; i < n * n; i++)
      a[i] = i % 13 / 4.0, b[i] = i % 7 - 3, c[i] = i;
    double trace = product(n, a, b, c);
    printf("%d %a %a\n", n, trace, c[n]);
  }
  return 0;
}
