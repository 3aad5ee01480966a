// memset, memcpy and memmove in loops are loops over elements of the type that others access the array by.

// RUN: %clang -O3 -I%S/../codegen/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -Rpass=polyrs -Rpass-missed=polyrs %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include "dump.h"

#define N 40
static double A[N][N], B[N][N], C[N][N];

// CHECK: memory.c:[[#@LINE+2]]:{{.*}}loops reordered: distributed{{.*}}interchanged
KERNEL void cleared(int n) {
  for (int i = 0; i < n; i++) {
    memset(C[i], 0, sizeof C[i]);
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
  }
}

// CHECK: memory.c:[[#@LINE+2]]:{{.*}}loops reordered
KERNEL void copied(int n, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) * 0.25;
    memcpy(A, B, sizeof A);
  }
}

// A length that may be no multiple of the elements' size, bytes that are no number seen by itself, and memory that
// overlaps.
// CHECK: memory.c:[[#@LINE+3]]:{{.*}}loops not optimized: this call may read or write memory
KERNEL void bytes(int n, long length) {
  for (int i = 0; i < n; i++) {
    memset(C[i], 0, length);
    C[i][3] += A[i][2];
  }
}

// CHECK: memory.c:[[#@LINE+3]]:{{.*}}loops not optimized: this call may read or write memory
KERNEL void pattern(int n) {
  for (int i = 0; i < n; i++) {
    memset(C[i], 7, sizeof C[i]);
    C[i][3] += A[i][2];
  }
}

// CHECK: memory.c:[[#@LINE+3]]:{{.*}}loops not optimized: this call may read or write memory
KERNEL void moved(int n, int m) {
  for (int i = 0; i < n; i++) {
    memmove(C[i] + m, C[i], 10 * sizeof(double));
    C[i][3] += A[i][2];
  }
}

// Rows moved up and down in themselves: elements are copied from the end that is read last.
// CHECK: memory.c:[[#@LINE+2]]:{{.*}}loops reordered
KERNEL void shifted(int n) {
  for (int i = 0; i < n; i++) {
    memmove(C[i] + 1, C[i], (N - 1) * sizeof(double));
    C[i][0] = A[i][2];
    memmove(A[i], A[i] + 3, (N - 3) * sizeof(double));
    memmove(B[i], A[i], sizeof B[i]);
  }
}

int main(void) {
  fill(&A[0][0], N * N, 1);
  fill(&B[0][0], N * N, 2);
  fill(&C[0][0], N * N, 3);
  cleared(N - 1);
  dump("cleared", C, sizeof C);
  copied(N, 5);
  dump("copied", A, sizeof A);
  bytes(N, 41);
  dump("bytes", C, sizeof C);
  pattern(N / 2);
  dump("pattern", C, sizeof C);
  moved(N, 2);
  dump("moved", C, sizeof C);
  shifted(N);
  dump("shifted", A, sizeof A);
  dump("shifted", B, sizeof B);
  dump("shifted", C, sizeof C);
}
