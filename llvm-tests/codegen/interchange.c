// A product whose innermost loop strides down columns; interchange must keep every element's order of sums.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}2 regions transformed

#include "dump.h"

#define N 37
static double A[N][N + 3], B[N + 3][N + 1], C[N][N + 1];

KERNEL void product(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N + 1; j++)
      for (int k = 0; k < N + 3; k++)
        C[i][j] += A[i][k] * B[k][j];
}

int main(void) {
  fill(&A[0][0], N * (N + 3), 1);
  fill(&B[0][0], (N + 3) * (N + 1), 2);
  fill(&C[0][0], N * (N + 1), 3);
  product();
  dump("C", C, sizeof C);
}
