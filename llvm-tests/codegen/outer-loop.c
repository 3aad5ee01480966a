// Regions inside a loop that is none: the check runs each time.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}3 regions transformed

#include "dump.h"

#include <stdlib.h>
#define N 24
static double A[N][N], B[N][N], x[2 * N];

static volatile int again = 5;

KERNEL void repeat(int n) {
  int k = 0;
  while (again-- > 0) {
    for (int i = 0; i < n - k; i++)
      for (int j = 0; j < n; j++)
        A[j][i + k] += B[i][j] * x[k];
    k++;
  }
}

KERNEL void pairs(double *v, int rounds, int n) {
  for (int r = 0; r < rounds; r++) {
    if (v[r] > 1e300)
      abort();
    double *from = v + r, *to = v + n + r / 2;
    for (int i = 0; i < n; i++)
      to[i] += from[i] * 0.5;
  }
}

int main(void) {
  fill(&A[0][0], N * N, 1);
  fill(&B[0][0], N * N, 2);
  fill(x, 2 * N, 3);
  repeat(N);
  pairs(x, 8, N / 2);
  dump("A", A, sizeof A);
  dump("x", x, sizeof x);
}
