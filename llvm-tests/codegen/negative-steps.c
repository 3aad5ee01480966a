// Loops that count down.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}4 regions transformed

#include "dump.h"

#define N 35
static double A[N][N], b[N];

KERNEL void backwards(int n) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = n - 2; j >= i; j -= 1)
      A[i][j] = A[i][j + 1] * 0.5 + A[j][i];
}

KERNEL void by_three(long n) {
  for (long i = n - 1; i > 2; i -= 3)
    b[i] += b[i - 1] * b[i - 2];
}

KERNEL void unsigned_down(unsigned n) {
  for (unsigned i = n; i-- > 0;)
    for (unsigned j = n; j-- > 0;)
      A[i][j] += b[j];
}

int main(void) {
  fill(&A[0][0], N * N, 1);
  fill(b, N, 2);
  backwards(N);
  by_three(N);
  unsigned_down(N - 4);
  unsigned_down(0);
  dump("A", A, sizeof A);
  dump("b", b, sizeof b);
}
