// Bounds that depend on outer loops.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}5 regions transformed

#include "dump.h"

#define N 33
static double A[N][N], B[N][N], x[N];

KERNEL void trmm(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = i + 1; k < n; k++)
        B[i][j] += A[k][i] * B[k][j];
      B[i][j] = 1.25 * B[i][j];
    }
}

KERNEL void lu(int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}

KERNEL void trisolv(int n) {
  for (int i = 0; i < n; i++) {
    x[i] = B[i][0];
    for (int j = 0; j < i; j++)
      x[i] -= A[i][j] * x[j];
    x[i] = x[i] / A[i][i];
  }
}

int main(void) {
  fill(&A[0][0], N * N, 1);
  fill(&B[0][0], N * N, 2);
  for (int i = 0; i < N; i++)
    A[i][i] = 1000.0 + i;
  trmm(N);
  trmm(1);
  lu(N - 1);
  trisolv(N);
  dump("A", A, sizeof A);
  dump("B", B, sizeof B);
  dump("x", x, sizeof x);
}
