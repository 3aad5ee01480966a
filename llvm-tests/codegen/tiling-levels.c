// Tiles in tiles, with sizes that divide neither each other nor the loops: the same results, and two levels of tile
// loops in the schedule. Without the second sizes there is one level.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -I%S/Inputs %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-process-unprofitable -polyrs-tile-sizes=9,8 \
// RUN:   -polyrs-2nd-level-tile-sizes=4 -polyrs-2nd-level-default-tile-size=3 %t.ll 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-process-unprofitable -polyrs-tile-sizes=9,8 %t.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=ONCE %s
// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-tile-sizes=9,8 -mllvm -polyrs-2nd-level-tile-sizes=4 -mllvm -polyrs-2nd-level-default-tile-size=3 \
// RUN:   -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}3 regions transformed

// TWICE: tiled {{[0-9x]+}} in {{[0-9x]+}}
// TWICE: mark: "tile({{[89]}}
// TWICE: mark: "tile({{[34]}}
// TWICE: mark: "point"

// ONCE: mark: "tile({{[89]}}
// ONCE-NOT: mark: "tile({{[34]}}
// ONCE: mark: "point"

// Diamonds, too, stand in diamonds.
// TWICE: tiled in diamonds 4x4x3 in 9x9x8
// TWICE: mark: "tile(9, 9, 8)"
// TWICE: coincident: [ 0, 1, 0 ]
// TWICE: mark: "tile(4, 4, 3)"
// TWICE: separate[2]
// TWICE: mark: "point"
// ONCE: tiled in diamonds 9x9x8

#include "dump.h"

#include <stdlib.h>

KERNEL void product(int n, int m, double A[n][m], double B[m][n], double C[n][n]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      for (int j = 0; j < n; j++)
        C[i][j] += A[i][k] * B[k][j];
}

KERNEL void stencil(int steps, int n, double A[n][n], double B[n][n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = 0.25 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = 0.25 * (B[i - 1][j] + B[i + 1][j] + B[i][j - 1] + B[i][j + 1]);
  }
}

int main(void) {
  static const int sizes[][2] = {{0, 3}, {1, 1}, {4, 9}, {8, 3}, {9, 9}, {23, 19}, {40, 37}};
  for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++) {
    int n = sizes[s][0], m = sizes[s][1];
    double *a = calloc(n * m + 1, 8), *b = calloc(n * m + 1, 8), *c = calloc(n * n + 1, 8);
    fill(a, n * m, 1);
    fill(b, n * m, 2);
    fill(c, n * n, 3);
    product(n, m, (void *)a, (void *)b, (void *)c);
    dump("C", c, (n * n + 1) * 8);
    double *d = calloc(n * n + 1, 8);
    stencil(m, n, (void *)c, (void *)d);
    dump("stencil", c, (n * n + 1) * 8);
    free(a), free(b), free(c), free(d);
  }
}
