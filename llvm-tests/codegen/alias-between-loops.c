// Memory that is written or read between loops, and in none, may overlap what loops of the same region touch: it is
// tested before, too.

// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fusion=max %s -o %t.own
// RUN: %t.own | diff %t.expected -
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-only-func=written -mllvm -polyrs-print-after=scops -mllvm -polyrs-stop-after=scops -S %s -o - 2>&1 | FileCheck %s
// CHECK: scop written:0
// CHECK: array [[OUT:Arr[0-9]+]] memory f64 [*]
// CHECK-COUNT-6: alias: Arr

// Above 64 pointers, only those of loops are compared: the others may overlap anything.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-only-func=many -mllvm -polyrs-print-after=scops -mllvm -polyrs-stop-after=scops -S %s -o - 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: scop many:0
// MANY: alias: Arr

#include <stdio.h>

__attribute__((noinline)) void written(int n, double *a, double *b, double *c, double *out) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] + 1;
  *out = 7;
  for (int i = 0; i < n; i++)
    c[i] = a[i] * 2;
}

__attribute__((noinline)) double read(int n, double *a, double *b, double *c, double *at) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] + 1;
  double x = *at;
  for (int i = 0; i < n; i++)
    c[i] = a[i] * x;
  return x;
}

// More than 64 pointers, of which two are used in loops.
#define FEW(p) *p[0] += 1, *p[1] += 1, *p[2] += 1, *p[3] += 1, *p[4] += 1, *p[5] += 1, *p[6] += 1, *p[7] += 1
#define MANY(p) FEW(p), FEW((p + 8)), FEW((p + 16)), FEW((p + 24)), FEW((p + 32)), FEW((p + 40)), FEW((p + 48)), FEW((p + 56)), FEW((p + 64))
__attribute__((noinline)) void many(int n, double *restrict a, double *restrict b, double *out, long **p) {
  MANY(p);
  for (int i = 0; i < n; i++)
    a[i] = b[i] + 1;
  *out = 7;
  for (int i = 0; i < n; i++)
    b[i] = a[i] * 2;
}

enum { N = 400 };
static double a[N + 10], b[N + 10], c[N + 10];

static void show(const char *name, int k) {
  double sum = 0;
  for (int i = 0; i < N + 10; i++)
    sum += a[i] * (i + 1) + b[i] * (300 - i) + c[i] * (i & 7);
  printf("%s %d %a\n", name, k, sum);
}

int main(void) {
  double *at[] = {a + 5, b + 9, c + 20, a + N - 1, a + N};
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < N + 10; i++)
      a[i] = i, b[i] = i * 0.5, c[i] = 0;
    written(N, a, b, c, at[k]);
    show("written", k);
    printf("%a\n", read(N, a, b, c, at[k]));
    show("read", k);
  }
  static long longs[72];
  static long *pointers[72];
  for (int k = 0; k < 72; k++)
    pointers[k] = &longs[k];
  many(N, a, b, b + N, pointers);
  show("many", 0);
  return 0;
}
