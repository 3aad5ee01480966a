// Symbolic sizes that are no multiple of the tile size, among them 0, 1 and sizes below one tile.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}3 regions transformed

#include "dump.h"

#include <stdlib.h>

KERNEL void product(int n, int m, double A[n][m], double B[m][n], double C[n][n], double alpha) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      C[i][j] *= alpha;
    for (int k = 0; k < m; k++)
      for (int j = 0; j < n; j++)
        C[i][j] += alpha * A[i][k] * B[k][j];
  }
}

KERNEL void transpose(int n, int m, const double *restrict in, double *restrict out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[j * n + i] = in[i * m + j];
}

int main(void) {
  static const int sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {2, 5}, {4, 4}, {5, 9}, {16, 7}, {23, 19}};
  for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++) {
    int n = sizes[s][0], m = sizes[s][1];
    double *a = calloc(n * m + 1, 8), *b = calloc(n * m + 1, 8), *c = calloc(n * n + 1, 8);
    fill(a, n * m, 1);
    fill(b, n * m, 2);
    fill(c, n * n, 3);
    product(n, m, (void *)a, (void *)b, (void *)c, 1.5);
    dump("C", c, (n * n + 1) * 8);
    transpose(n, m, a, b);
    dump("B", b, (n * m + 1) * 8);
    free(a), free(b), free(c);
  }
}
