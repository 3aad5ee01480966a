// Regions that use values of others, or could.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-ignore-func=main -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -c %s -o %t.o
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: 6 regions transformed

#include "dump.h"

unsigned A[42], B[9], C[40][41], D[20], E[40];

// n > 0 is computed in the nest's body, which stands behind the loop that comes after the nest.
__attribute__((noinline, weak)) void late(int n, int m) {
  for (int i = 0; i < 9; i++) {
    for (int k = i; k < m; k += 3)
      B[i] = A[3];
    for (int j = 0; j < n; j++)
      A[i] += C[j][i];
  }
  for (int j = 0; j < n; j++)
    A[j + 1] = j;
}

// Both inner loops compute the address of D[i + 3], each for itself.
__attribute__((noinline, weak)) void twice(int n, int m) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++)
      A[j] += D[i + 3];
    *(volatile unsigned *)&B[i % 9] += 1;
    for (int j = 0; j < n; j++)
      E[j] += D[i + 3];
  }
}

// What the last loop needs of i - 1 is computed for the store in front of it, which is of its region and not of the
// first one.
__attribute__((noinline, weak)) void shared(int n, int m, int r, unsigned c[][r][r]) {
  for (long i = 1; i < n; i++) {
    if (i != -2) {
      unsigned s = 1;
      for (int j = 1; j < n; j++)
        if (i != m)
          s = c[i][j][i] + s;
      for (int j = 0; j < m; j++)
        c[i][j][j] = i;
      A[i - 1] = D[i - 1];
    }
    for (int j = 0; j < n; j++)
      B[1] = c[j][2][i - 1];
  }
}

int main(void) {
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 41; j++)
      C[i][j] = i * 37 + j * 53;
  for (int i = 0; i < 20; i++)
    D[i] = i * i + 7;
  int sizes[][2] = {{0, 9}, {1, 0}, {5, 3}, {40, 8}};
  for (int k = 0; k < 4; k++) {
    late(sizes[k][0], sizes[k][1]);
    twice(sizes[k][0], sizes[k][1]);
    shared(k + 5, k + 3, 8, (void *)C);
    dump("A", A, sizeof A);
    dump("B", B, sizeof B);
    dump("E", E, sizeof E);
  }
  return 0;
}
