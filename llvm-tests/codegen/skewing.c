// Stencils in place: tiles only after skewing.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}3 regions transformed

#include "dump.h"

#define N 29
static double A[N][N], P[N], Q[N];

KERNEL void seidel(int steps, int n) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i <= n - 2; i++)
      for (int j = 1; j <= n - 2; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] +
                   A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
}

KERNEL void jacobi(int steps, int n) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      Q[i] = 0.33333 * (P[i - 1] + P[i] + P[i + 1]);
    for (int i = 1; i < n - 1; i++)
      P[i] = 0.33333 * (Q[i - 1] + Q[i] + Q[i + 1]);
  }
}

int main(void) {
  fill(&A[0][0], N * N, 1);
  fill(P, N, 2);
  fill(Q, N, 3);
  seidel(11, N);
  jacobi(13, N);
  jacobi(2, 3);
  dump("A", A, sizeof A);
  dump("P", P, sizeof P);
  dump("Q", Q, sizeof Q);
}
