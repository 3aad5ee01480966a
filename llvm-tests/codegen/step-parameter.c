// Loops inside with a step that is a parameter: how often they run is a quotient, by what is not zero where they do.
// Where no loop runs, the step may be zero.

// RUN: %clang -O3 %s -o %t.old
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable -gline-tables-only \
// RUN:   -Rpass=polyrs %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define KERNEL __attribute__((noinline))
#define N 60

KERNEL void rows(double *restrict a, const double *restrict b, int n, int s) {
  // CHECK-DAG: step-parameter.c:[[#@LINE+1]]:{{.*}} loops reordered
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i += s)
      a[i * n + j] += b[i * n + j];
}

KERNEL void wide(long n, long s, float *restrict a, const float *restrict b) {
  // CHECK-DAG: step-parameter.c:[[#@LINE+1]]:{{.*}} loops reordered
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j += s)
      a[j * n + i] = b[j * n + i] + 1;
}

int main(void) {
  static double a[N * N], b[N * N];
  static float x[N * N], y[N * N];
  for (int k = 0; k < N * N; k++)
    y[k] = b[k] = k % 13;
  for (int s = 1; s < N + 2; s++) {
    rows(a, b, N - s % 3, s);
    wide(N - s % 5, s, x, y);
  }
  rows(a, b, 0, 0);
  wide(0, 0, x, y);
  rows(a, b, -7, -2);
  wide(-7, -2, x, y);
  for (int k = 0; k < N * N; k++)
    printf("%g %g\n", a[k], x[k]);
}
