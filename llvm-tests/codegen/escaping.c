// Values used after the region: the last of a carried value, a sum, the counter itself.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}5 regions transformed

#include "dump.h"

#define N 35
static double A[N][N], x[N];

KERNEL double sum(int n) {
  double s = 1.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      A[i][j] += 1.0;
      s += A[i][j];
    }
  return s;
}

KERNEL double last(int n) {
  double v = -1.0, w = 3.0;
  for (int i = 0; i < n; i++) {
    v = x[i];
    x[i] = v * 2.0;
    w = w * 0.5 + v;
  }
  return v * 100.0 + w;
}

// Constant bounds: what escapes is no phi.
KERNEL double total(void) {
  double s = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[j][i] *= 1.5;
      s = s * 0.75 + A[j][i];
    }
  return s;
}

KERNEL int count(int n, int m) {
  int i = 0;
  for (; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j] = A[i][j] * 2.0;
  return i + m;
}

int main(void) {
  fill(&A[0][0], N * N, 1);
  fill(x, N, 3);
  printf("%a %a %a\n", sum(N), sum(1), sum(0));
  printf("%a %a %a\n", last(N), last(1), last(0));
  printf("%d %d %d\n", count(N, 3), count(2, N), count(-3, 4));
  printf("%a\n", total());
  dump("A", A, sizeof A);
  dump("x", x, sizeof x);
}
