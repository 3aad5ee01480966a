// Of stores that a loop only repeats the last ones are left: LLVM takes such loops away where it meets them as they
// were written, so that new ones that run them all would be slower without bound. A store that is written over by
// another statement goes as a whole. What is read in between stays, and what may be written over only perhaps.

// RUN: %clang -O1 -march=x86-64-v3 %s -o %t.plain
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-print-after=ast %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.plain > %t.plain.txt && %t.new > %t.new.txt && cmp %t.plain.txt %t.new.txt

#include <stdio.h>

#define N 37
static double a[N][N], b[N], c[N], d[N][N];

// One loop is left.
// CHECK: if (p1 >= 1) {
// CHECK-NEXT: for (c0 = 0; c0 <= p0 - 1; c0++)
// CHECK-NEXT: Stmt0(c0, p1 - 1, p1 - 1);
// CHECK-NEXT: }
__attribute__((noinline)) void repeated(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < m; k++)
        b[i] = c[i] * 3;
}

// The first statement is not there any more.
// CHECK: Stmt0(8 * c0
// CHECK-NOT: Stmt1
__attribute__((noinline)) void replaced(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = i;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = c[j] + d[j][i];
}

// All instances, along the diagonals.
// CHECK: for (c2 = 32 * c0; c2 <= 32 * c0 + 31; c2++) {
// CHECK-NEXT: for (c3 = 64 * c1; c3 <= 64 * c1 + 63; c3++)
// CHECK-NEXT: Stmt0(c2, c3 - c2);
__attribute__((noinline)) void read_between(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i][0] = c[j] + d[j][i];
      d[i][j] = a[i][0] * 2;
    }
}

// CHECK: Stmt0(c2, c3);
// CHECK-NEXT: Stmt1(c2, c3);
__attribute__((noinline)) void perhaps(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = i;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (d[j][i] > 5)
        a[i][j] = c[j];
}

static void fill(double *x, int count, int salt) {
  for (int i = 0; i < count; i++)
    x[i] = (i * 37 + salt * 53 + 11) % 101 / 8.0;
}

static void print(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf("%a %a %a\n", a[i][j], b[i], d[i][j]);
}

int main(void) {
  fill(*a, N * N, 0), fill(b, N, 1), fill(c, N, 2), fill(*d, N * N, 3);
  repeated(N - 2, 0);
  repeated(N - 3, 5);
  print();
  replaced(N - 1);
  print();
  read_between(N - 4);
  print();
  perhaps(N - 3);
  print();
  return 0;
}
