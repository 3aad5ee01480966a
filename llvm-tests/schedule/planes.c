// Time steps that write one plane of an array and read the other, chosen by the step's parity: tiled over time as two
// arrays are, by default where the planes are larger than the caches.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -emit-llvm -S -DM=2000 -I%S/../codegen/Inputs %s -o %t.large.ll
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=rows %t.large.ll 2>&1 | FileCheck --check-prefix=TILED %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=by_bit %t.large.ll 2>&1 | FileCheck --check-prefix=TILED %s
// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -DM=200 -I%S/../codegen/Inputs %s -o %t.small.ll
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=rows -pass-remarks-missed=polyrs %t.small.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=KEPT %s
// RUN: %opt '-passes=print<polyrs-scops>' -disable-output -polyrs-only-func=line %t.small.ll 2>&1 | FileCheck --check-prefix=SHAPE %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=line -polyrs-process-unprofitable %t.small.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=TILED %s
// RUN: %clang -O3 -DM=200 -I%S/../codegen/Inputs %s -o %t.old
// RUN: %clang -O3 -DM=200 -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-tile-sizes=5 %s -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include "dump.h"

double A[2][1000], B[2][M][M];

// TILED: tiled in diamonds
// KEPT: order kept

// The planes are rows of one array, not halves of a row: with rows of two planes the loop could run for no step at all.
// SHAPE: invalid: [p0] -> { : false }
// SHAPE: array Arr0 memory f64 [*, 1000]
// SHAPE: must_write: {{.*}} Arr0[o0, o1 = i1]
KERNEL void line(int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < 999; i++)
      A[(t + 1) % 2][i] = 0.25 * A[t % 2][i - 1] + 0.5 * A[t % 2][i] + 0.25 * A[t % 2][i + 1];
}

KERNEL void rows(int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < M - 1; i++)
      for (int j = 1; j < M - 1; j++)
        B[(t + 1) % 2][i][j] = 0.2 * (B[t % 2][i - 1][j] + B[t % 2][i][j - 1] + B[t % 2][i][j] + B[t % 2][i][j + 1] + B[t % 2][i + 1][j]);
}

KERNEL void by_bit(int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < M - 1; i++)
      for (int j = 1; j < M - 1; j++)
        B[~t & 1][i][j] = 0.2 * (B[t & 1][i - 1][j] + B[t & 1][i][j - 1] + B[t & 1][i][j] + B[t & 1][i][j + 1] + B[t & 1][i + 1][j]);
}

int main(void) {
  fill(&A[0][0], 2 * 1000, 1);
  fill(&B[0][0][0], 2 * M * M, 2);
  line(0);
  line(1);
  line(60);
  dump("A", A, sizeof A);
  rows(23);
  dump("B", B[0][M / 2], sizeof B[0][0]);
  by_bit(12);
  for (int i = 0; i < M; i += 29)
    dump("B", B[1][i], sizeof B[1][i]);
}
