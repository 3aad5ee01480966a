// A function that does not return: the routines that are written for its product do.
// REQUIRES: libomp
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.old && %t.old > %t.old.txt
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=polyrs %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.new | cmp - %t.old.txt
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-parallel %s -o %t.threads -lomp && %t.threads | cmp - %t.old.txt

// CHECK: loops reordered: {{.*}}packed

#include <stdio.h>
#include <stdlib.h>

static double a[90 * 90], b[90 * 90], c[90 * 90];

__attribute__((noinline)) _Noreturn void last(int n, const double *x, const double *y, double *z) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        z[i * n + j] += x[i * n + k] * y[k * n + j];
  double sum = 0;
  for (int i = 0; i < n * n; i++)
    sum = sum * 1.01 + z[i];
  printf("%a\n", sum);
  exit(0);
}

int main(void) {
  for (int i = 0; i < 90 * 90; i++) {
    a[i] = i % 7;
    b[i] = i % 11;
  }
  last(90, a, b, c);
}
