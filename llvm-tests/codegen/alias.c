// Pointers that may overlap: disjoint ones run the new code, overlapping ones the old code.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}3 regions transformed

#include "dump.h"

#define N 32
static double pool[4 * N * N];

KERNEL void stencil(int n, double *a, double *b) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      a[i * N + j] = b[(i - 1) * N + j] + b[(i + 1) * N + j] + b[i * N + j - 1];
}

KERNEL void update(long n, long m, double *y, double *x, double *A) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      y[j] += A[i * m + j] * x[i];
}

int main(void) {
  fill(pool, 4 * N * N, 1);
  stencil(N, pool, pool + 2 * N * N);
  dump("apart", pool, sizeof pool);
  stencil(N, pool, pool);
  dump("same", pool, sizeof pool);
  stencil(N, pool + 1, pool);
  stencil(N, pool, pool + N + 3);
  dump("shifted", pool, sizeof pool);
  stencil(N, pool + N * N, pool);
  stencil(N, pool, pool + N * N);
  dump("adjacent", pool, sizeof pool);
  update(N, N, pool, pool + N, pool + 2 * N);
  update(N, N, pool, pool, pool + 2 * N);
  update(N, N, pool + 7, pool + 8, pool);
  update(3, 5, pool + 2 * N, pool + 3 * N, pool + 2 * N - 1);
  dump("update", pool, sizeof pool);
}
