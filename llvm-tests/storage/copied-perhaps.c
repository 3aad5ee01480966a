// A scalar is not mapped onto an element that a statement may have copied it to, but need not: what is read there may
// be the element's older value, which the scalar's would replace.

// RUN: %clang -O1 -march=x86-64-v3 %s -o %t.plain
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -Rpass=polyrs %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.plain > %t.plain.txt && %t.new > %t.new.txt && cmp %t.plain.txt %t.new.txt
// CHECK: remark: loops reordered

#include <stdio.h>

static double a[13][14], b[16][17], at[17];

__attribute__((noinline, optnone)) static void fill(double *x, int count, int salt) {
  for (int i = 0; i < count; i++)
    x[i] = (i * 37 + salt * 53 + 11) % 101 / 8 + (i * 7 + salt) % 10 / 10.0;
}

__attribute__((noinline)) void kernel(int n, int m) {
  for (unsigned char i = 0; i < n; i++)
    for (int j = 0; j < m + 3; j++) {
      double s = 1;
      for (int k = 0; k < n; k++)
        s += a[k][(int)at[i]];
      if (j == i)
        b[(int)at[j + 1]][j + 1] = s;
      b[j][i] = s + b[i][j];
    }
}

int main(void) {
  fill(*a, 13 * 14, 0);
  fill(*b, 16 * 17, 1);
  fill(at, 17, 2);
  kernel(13, 13);
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 17; j++)
      printf("%a\n", b[i][j]);
  return 0;
}
