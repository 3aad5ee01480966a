// Integers that every caller passes as the same constant are known sizes; where callers differ, an address is taken, or
// others may call, they are parameters.

// RUN: %clang -O3 %s -o %t.old
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-print-after=scops %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define LOOPS                                                                                                              \
  for (int i = 0; i < n; i++)                                                                                              \
    for (int j = 0; j < m; j++)                                                                                            \
      A[j][i] = A[j][i] * 0.5 + B[j][i];
#define KEPT __attribute__((noinline))

static double A[40][60], B[40][60];

// CHECK-LABEL: scop seen:0
// CHECK: params: p0, p1
KEPT void seen(int n, int m) { LOOPS }

// CHECK-LABEL: scop same:0
// CHECK-NEXT: params:{{ *$}}
// CHECK: domain: { Stmt0[i0, i1] : 0 <= i0 <= 29 and 0 <= i1 <= 19 }
KEPT static void same(int n, int m) { LOOPS }

// CHECK-LABEL: scop one_differs:0
// CHECK: params: p0
// CHECK: 0 <= i1 <= 19
KEPT static void one_differs(int n, int m) { LOOPS }

// CHECK-LABEL: scop pointed_to:0
// CHECK: params: p0, p1
KEPT static void pointed_to(int n, int m) { LOOPS }

// Calls itself with what it got.
// CHECK-LABEL: scop again:0
// CHECK: params: p0
// CHECK: 0 <= i1 <= 19
KEPT static void again(int n, int m, int times) {
  LOOPS
  if (times > 0)
    again(n - 1, m, times - 1);
}

static void (*volatile any)(int, int) = pointed_to;

int main(void) {
  for (int j = 0; j < 40; j++)
    for (int i = 0; i < 60; i++)
      B[j][i] = 3.0 * j - i;
  same(30, 20);
  same(30, 20);
  one_differs(30, 20);
  one_differs(7, 20);
  pointed_to(30, 20);
  any(31, 21);
  seen(30, 20);
  again(30, 20, 3);
  double sum = 0.0;
  for (int j = 0; j < 40; j++)
    for (int i = 0; i < 60; i++)
      sum = sum * 0.75 + A[j][i];
  printf("%a\n", sum);
}
