// What is left of an array that loses rows of an unknown length is counted, where a row is known to have elements: the
// quotient is taken before the loops. Without that knowledge the loop stays what it is, a part of one statement.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable;fatal-bugs>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='print<polyrs-scops>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: %clang -O2 -w %s -o %t.plain
// RUN: %clang -O2 -w -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs %s -o %t.polyrs
// RUN: %t.plain > %t.expected
// RUN: %t.polyrs > %t.got
// RUN: cmp %t.expected %t.got

#include <stdio.h>
#include <stdlib.h>

// CHECK: loops reordered: interchanged
// MODEL-LABEL: scop counted:0
// MODEL: domain: {{.*}} { Stmt0[i0, i1] : {{.*}}
__attribute__((noinline)) void counted(size_t length, size_t n, double *restrict a, const double *restrict b) {
  if (n == 0)
    abort();
  for (size_t j = 0; j < n; j++) {
    double *p = a;
    const double *q = b;
    for (size_t left = length; left >= n; left -= n) {
      p[j] += q[j];
      p += n;
      q += n;
    }
  }
}

// CHECK: loops reordered: same order
// MODEL-LABEL: scop endless:0
// MODEL: domain: {{.*}} { Stmt0[i0] : {{.*}}
__attribute__((noinline)) void endless(size_t length, size_t n, size_t m, double *restrict a) {
  for (size_t j = 0; j < m; j++) {
    double *p = a;
    for (size_t left = length; left >= n; left -= n) {
      p[j] += 1;
      p += n;
    }
  }
}

// The first row is taken whether there is one or not: what is left may wrap.
// CHECK: loops reordered: same order
// MODEL-LABEL: scop unguarded:0
// MODEL: domain: {{.*}} { Stmt0[i0] : {{.*}}
__attribute__((noinline)) void unguarded(size_t length, size_t n, double *restrict a) {
  if (n == 0)
    abort();
  for (size_t j = 0; j < n; j++) {
    double *p = a;
    size_t left = length;
    do {
      p[j] += 1;
      p += n;
      left -= n;
    } while (left >= n && p < a + 4000);
  }
}

int main(void) {
  static double a[5000], b[5000];
  for (size_t k = 0; k < 5000; k++)
    b[k] = k % 97 * 0.25;
  for (size_t length = 0; length < 40; length += 3)
    for (size_t n = 1; n < 45; n += 4)
      counted(length, n, a + length, b + n);
  counted(5000, 70, a, b);
  counted(5000, 5000, a, b);
  endless(900, 30, 30, a);
  unguarded(900, 30, a);
  for (size_t k = 0; k < 5000; k++)
    printf("%g ", a[k]);
}
