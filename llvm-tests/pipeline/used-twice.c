// Values that are used twice where they are made, again and again: as many walks lead to the first of them as there are
// numbers of forty bits, and each value is looked at once. A bound whose expression is too long counts as not affine.

// RUN: timeout 60 %clang -O1 -march=x86-64-v3 -gline-tables-only -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: timeout 60 %opt -passes=polyrs -pass-remarks=polyrs -pass-remarks-missed=polyrs -polyrs-fatal-bugs -S %t.ll -o %t.new.ll 2>&1 \
// RUN:   | FileCheck %s
// RUN: FileCheck %s --check-prefix=CODE < %t.new.ll
// RUN: timeout 60 %opt -passes=polyrs -polyrs-process-unprofitable -polyrs-fatal-bugs -disable-output %t.ll
// RUN: %clang -O3 -DMAIN -march=x86-64-v3 -ffp-contract=off %s -o %t.old
// RUN: timeout 60 %clang -O3 -DMAIN -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable \
// RUN:   -mllvm -polyrs-fatal-bugs %s -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define FN __attribute__((noinline)) void
#define TEN(x) x x x x x x x x x x
#define FORTY(x) TEN(x) TEN(x) TEN(x) TEN(x)

// In the rows of a block.
// CHECK-DAG: used-twice.c:[[#@LINE+4]]:{{[0-9]+}}: loops reordered: {{.*}}rows in 4 lanes
// CODE-LABEL: define {{.*}}@squared(
// CODE: polyrs.lanes{{[0-9]*}}:
FN squared(int n, int m, double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++) {
      double p = x[i * (long)m + j];
      FORTY(p = p * p;)
      y[i * (long)m + j] = 0.5 * y[i * (long)m + j - 1] + p;
    }
}

// In a bound that is made before the loops.
// CHECK-DAG: used-twice.c:[[#@LINE+4]]:{{[0-9]+}}: order of the loops kept: how often the loop in line [[#@LINE+5]] runs is not affine
FN count(int n, unsigned q, double *restrict y, double *restrict z) {
  unsigned p = q;
  FORTY(p = p * p + (p ^ 3);)
  for (int i = 0; i < n; i++)
    for (unsigned j = 0; j < p % 64; j++)
      y[j * (long)n + i] += z[j];
}

// In a bound and in subscripts, as a sum of powers.
// CHECK-DAG: used-twice.c:[[#@LINE+4]]:{{[0-9]+}}: order of the loops kept: how often the loop in line [[#@LINE+5]] runs is not affine
FN powers(int n, unsigned q, double *restrict y, double *restrict z) {
  unsigned p = q;
  FORTY(p = p * p + p;)
  for (int i = 0; i < n; i++)
    for (unsigned j = 0; j < p; j++)
      y[j * (long)p + i] += z[j];
}

#ifdef MAIN
static double a[64 * 64], b[64 * 64];

int main(void) {
  for (int k = 0; k < 64 * 64; k++)
    a[k] = (k * 7 % 31 - 15) / 15.0, b[k] = k % 13;
  squared(33, 61, a, b);
  for (unsigned q = 0; q < 9; q++)
    count(40, q, b, a);
  powers(1, 0, b, a);
  double sum = 0;
  for (int k = 0; k < 64 * 64; k++)
    sum = sum * 0.99 + b[k];
  printf("%a\n", sum);
  return 0;
}
#endif
