// Values that cross statements: sums in scalars, conditional values, values carried by outer loops.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}5 regions transformed

#include "dump.h"

#define N 35
static double A[N][N], B[N][N], x[N], y[N];

KERNEL void sums(int n) {
  for (int i = 0; i < n; i++) {
    double sum = y[i];
    for (int j = 0; j < n; j++)
      sum += A[i][j] * x[j];
    y[i] = sum;
  }
}

KERNEL void chosen(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double v;
      if (j > i)
        v = A[i][j];
      else
        v = B[j][i] * 3.0;
      A[i][j] = v + 1.0;
    }
}

KERNEL void carried(int n) {
  double last = 0.25;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double v = A[i][j];
      B[i][j] = v - last;
      last = v;
    }
}

KERNEL void index_values(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      B[i][j] += (double)(i * 7 - j) + (double)(unsigned char)(i + 40 * j);
}

int main(void) {
  fill(&A[0][0], N * N, 1);
  fill(&B[0][0], N * N, 2);
  fill(x, N, 3);
  fill(y, N, 4);
  sums(N);
  chosen(N);
  carried(N - 1);
  index_values(N);
  dump("A", A, sizeof A);
  dump("B", B, sizeof B);
  dump("y", y, sizeof y);
}
