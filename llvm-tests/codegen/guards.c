// Conditions on loop counters and sizes, with and without an else branch.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}4 regions transformed

#include "dump.h"

#define N 41
static double A[N][N], B[N][N];

KERNEL void branches(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (i + j < m)
        A[i][j] = B[j][i] * 2.0;
      else if (i > 2 * j)
        A[i][j] = B[i][j] + 1.0;
      if (j == i)
        B[i][j] = 0.5;
    }
}

KERNEL void strided(int n) {
  for (int i = 0; i < n; i += 3)
    for (int j = 1; j < n; j += 2)
      A[i][j] += B[j][i];
}

KERNEL void rests(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if ((i + j) % 4 == 1)
        B[i][j] -= A[j][i];
}

int main(void) {
  fill(&A[0][0], N * N, 1);
  fill(&B[0][0], N * N, 2);
  branches(N, 17);
  branches(9, -4);
  strided(N);
  rests(N - 2);
  dump("A", A, sizeof A);
  dump("B", B, sizeof B);
}
