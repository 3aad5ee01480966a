// An address that an arm of a branch on data computes is not at hand behind the branch: the loops behind it, a region
// of their own, compute theirs.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable -Rpass=polyrs %s -o %t.new 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.old
// RUN: %t.old > %t.expected; %t.new | diff %t.expected -

#include <stdio.h>

#define N 64

double A[N][N], C[N][N], x[N], z[N];
int P[N];

__attribute__((noinline)) void behind(int n) {
  double s = 1;
  for (int i = 0; i < 60; i++) {
    if (z[i] < 0)
      C[i][i] = A[i][i];
    // CHECK: outer-arm.c:[[@LINE+1]]:5: remark: loops reordered
    for (int j = 0; j < n; j++) {
      for (int k = 1; k < 60; k++) {
        if (A[j][k] > 1)
          ;
        else if (C[i][j] > 2)
          ;
        else
          C[k][j + 1] = x[j];
      }
      if (P[i])
        s = 1.5 + C[j][i];
    }
  }
  x[63] = s;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    x[i] = i % 3, z[i] = i % 4 - 1, P[i] = i % 5;
    for (int j = 0; j < N; j++)
      A[i][j] = (i + 2 * j) % 4, C[i][j] = (3 * i + j) % 5;
  }
  for (int n = 0; n < N; n += 9)
    behind(n);
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum = sum * 0.99 + C[i][j];
  printf("%.17g %.17g\n", sum, x[63]);
}
