// A pointer that the inner loop reads is read in front of it, if that runs at all; what its address is made of, others
// use too, whether it runs or not (`2 * i` is the subscript of the row and of the element).

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable -Rpass=polyrs %s -o %t.new 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.old
// RUN: %t.old > %t.expected; %t.new | diff %t.expected -

#include <stdio.h>

#define N 90

// CHECK: guarded-loads.c:[[@LINE+2]]:3: remark: loops reordered: {{.*}} if a run-time check allows it
__attribute__((noinline)) void update(int n, int m, float **a, float **c) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i; j < m; j++)
      a[j][i] = a[j][i] - c[2 * i][2 * i];
}

static float of_a[N][N], of_c[2 * N][2 * N];

int main(void) {
  float *a[N], *c[2 * N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      of_a[i][j] = i * 7 % 13 + j, a[i] = of_a[i];
  for (int i = 0; i < 2 * N; i++)
    for (int j = 0; j < 2 * N; j++)
      of_c[i][j] = i - j * 3 % 5, c[i] = of_c[i];
  update(N, N, a, c);
  update(N, 0, a, c);
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum = sum * 0.99 + of_a[i][j];
  printf("%.17g\n", sum);
}
