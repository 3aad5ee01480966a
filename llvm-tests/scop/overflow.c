// Arithmetic that traps where it overflows: the loops' own counters are plain ones, and the rest is tested before the
// loops.

// RUN: %clang -O2 -ftrapv -w -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable -Rpass=polyrs -Rpass-missed=polyrs %s -o %t.polyrs 2>&1 | FileCheck %s
// RUN: %clang -O2 -ftrapv -w %s -o %t.plain
// RUN: %t.plain > %t.expected
// RUN: %t.polyrs > %t.got
// RUN: cmp %t.expected %t.got
// RUN: not --crash %t.plain 1
// RUN: not --crash %t.polyrs 1

#include <limits.h>
#include <stdio.h>

int A[64][64], B[64][64];

// CHECK: overflow.c:[[@LINE+3]]:{{.*}} loops reordered: {{.*}}, if a run-time check allows it (assumed: no test
// CHECK-SAME: ends the program)
__attribute__((noinline)) void shifted(int n, int by) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      A[i][j] = B[j][i] ^ (i * 3 + by);
}

// The sum of what is stored may overflow: no test in front of the loops can tell.
// CHECK: overflow.c:[[@LINE+4]]:{{.*}} loops not optimized: this condition is not affine
__attribute__((noinline)) void summed(int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      A[i][j] = B[j][i] + 1;
}

int main(int argc, char **argv) {
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      B[i][j] = i * j;
  shifted(64, argc > 1 ? INT_MAX - 100 : 5);
  summed(50);
  unsigned hash = 0;
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      hash = hash * 31u + (unsigned)A[i][j] & 0xffffffu;
  printf("%x\n", hash);
  return 0;
}
