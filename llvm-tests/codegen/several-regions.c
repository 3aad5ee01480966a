// Regions that use values of others: n > 0 is computed in the nest's body, which stands behind the loop that comes after the nest.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-only-func=kernel -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -c %s -o %t.o
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: 2 regions transformed

#include "dump.h"

static unsigned A[42], B[9], C[40][41];

__attribute__((noinline, weak)) void kernel(int n, int m) {
  for (int i = 0; i < 9; i++) {
    for (int k = i; k < m; k += 3)
      B[i] = A[3];
    for (int j = 0; j < n; j++)
      A[i] += C[j][i];
  }
  for (int j = 0; j < n; j++)
    A[j + 1] = j;
}

int main(void) {
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 41; j++)
      C[i][j] = i * 37 + j * 53;
  int sizes[][2] = {{0, 9}, {1, 0}, {5, 3}, {40, 17}};
  for (int k = 0; k < 4; k++) {
    kernel(sizes[k][0], sizes[k][1]);
    dump("A", A, sizeof A);
    dump("B", B, sizeof B);
  }
  return 0;
}
