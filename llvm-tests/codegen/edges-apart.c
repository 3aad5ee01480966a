// One-sided differences at the edges of a grid: what is done at the first and the last columns has loops of its own.
// Tests for it in the innermost loop would make masks of its vectors, which are slow to store under.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.new
// RUN: %t.new | diff %t.expected -

#include <stdio.h>

// CHECK-LABEL: define {{.*}} @gradient.polyrs.0(
// CHECK-NOT: llvm.masked.store
// CHECK: store <4 x double>
// CHECK-NOT: llvm.masked.store
// CHECK-LABEL: {{^}}}
__attribute__((noinline)) void gradient(long n, long m, const double *restrict g, double *restrict x,
                                        double *restrict y) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++) {
      x[i * m + j] = i == 0       ? g[m + j] - g[j]
                     : i == n - 1 ? g[i * m + j] - g[(i - 1) * m + j]
                                  : .5 * (g[(i + 1) * m + j] - g[(i - 1) * m + j]);
      y[i * m + j] = j == 0       ? g[i * m + 1] - g[i * m]
                     : j == m - 1 ? g[i * m + j] - g[i * m + j - 1]
                                  : .5 * (g[i * m + j + 1] - g[i * m + j - 1]);
    }
}

static double g[110 * 130], x[110 * 130], y[110 * 130];

int main(void) {
  for (int i = 0; i < 110 * 130; i++)
    g[i] = (double)(i * 31 % 101) / 7;
  gradient(110, 130, g, x, y);
  double sum = 0;
  for (int i = 0; i < 110 * 130; i++)
    sum = sum / 2 + x[i] - 3 * y[i];
  printf("%a\n", sum);
}
