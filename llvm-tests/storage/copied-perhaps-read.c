// A scalar that begins with an element under a data-dependent subscript is not mapped onto an element that a later
// statement reads: which element's value it hands on is not known, nor whether an earlier store has written it.

// RUN: %clang -O1 -march=x86-64-v3 %s -o %t.plain
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -Rpass=polyrs %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.plain > %t.plain.txt && %t.new > %t.new.txt && cmp %t.plain.txt %t.new.txt
// CHECK: remark: loops reordered

#include <stdio.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

static double a[41][14], b[50][39], at[14];

__attribute__((noinline, optnone)) static void fill(double *x, int count, int salt) {
  for (int i = 0; i < count; i++)
    x[i] = (i * 37 + salt * 53 + 11) % 101 / 8 + (i * 7 + salt) % 10 / 10.0;
}

__attribute__((noinline)) void kernel(int n) {
  for (int i = 0; i < (int)at[2] - 1; i++)
    for (long j = 0; j < MIN(n - 2, i + 1); j++) {
      a[(int)at[i + 2] + 2][i] = b[i + j][j];
      double s = a[j][(int)at[i]];
      for (long k = 0; k < n + 2; k++)
        s += j;
      a[j + 2][i + 1] = 1.25 * s + 0.5 * a[j + 2][i + 1];
    }
}

int main(void) {
  fill(*a, 41 * 14, 0);
  fill(*b, 50 * 39, 1);
  fill(at, 14, 2);
  kernel(41);
  for (int i = 0; i < 41; i++)
    for (int j = 0; j < 14; j++)
      printf("%a\n", a[i][j]);
  return 0;
}
