// Where rows are counted down, an inner loop over the rows below does nothing in the last iteration, and LLVM's
// simplification leaves the outer loop at once: it has two exits then, but one test. It is a region as a whole. A loop
// that data ends in the middle is none.

// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off -Xclang -disable-llvm-passes -emit-llvm -S \
// RUN:   -I%S/../codegen/Inputs %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-scops>' -disable-output -polyrs-only-func=down %t.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=DOWN %s
// RUN: %opt '-passes=print<polyrs-scops>' -disable-output -polyrs-only-func=both %t.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=BOTH %s
// RUN: %opt -passes=polyrs -disable-output -polyrs-only-func=found -pass-remarks-missed=polyrs %t.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=FOUND %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -I%S/../codegen/Inputs %s -DRUN -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs \
// RUN:   -I%S/../codegen/Inputs %s -DRUN -o %t.new
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-process-unprofitable -I%S/../codegen/Inputs %s -DRUN -o %t.forced
// RUN: %t.old > %t.old.txt
// RUN: %t.new | diff %t.old.txt -
// RUN: %t.forced | diff %t.old.txt -

#include "dump.h"

// DOWN: stmt Stmt1
// DOWN-NEXT: domain: {{.*}} Stmt1[i0, i1, i2]
KERNEL void down(int m, int n, const double *restrict a, double *restrict b) {
  for (int k = n - 1; k >= 0; k--) {
    for (int i = 0; i < m; i++)
      b[k * 64 + i] /= a[k * 64 + k];
    for (int j = 0; j < k; j++)
      for (int i = 0; i < m; i++)
        b[j * 64 + i] -= a[k * 64 + j] * b[k * 64 + i];
  }
}

// Two loops inside do nothing at the end.
// BOTH: stmt Stmt1
// BOTH-NEXT: domain: {{.*}} Stmt1[i0, i1, i2]
KERNEL void both(int n, double *restrict a) {
  for (int k = n - 1; k >= 0; k--) {
    for (int i = 0; i < k; i++)
      a[i * 64 + k] /= a[k * 64 + k];
    for (int j = 0; j < k; j++)
      for (int i = 0; i < k; i++)
        a[i * 64 + j] -= a[i * 64 + k] * a[k * 64 + j];
  }
}

// FOUND: remark: {{.*}} this loop has several exits or may not end
KERNEL int found(int n, double *restrict a, const double *restrict b) {
  int k;
  for (k = n - 1; k >= 0; k--) {
    if (b[k] < 0)
      break;
    for (int i = 0; i < k; i++)
      a[i] += b[k];
  }
  return k;
}

#ifdef RUN
static double a[64 * 64], b[64 * 64];

static void fill_both(void) {
  for (int i = 0; i < 64 * 64; i++) {
    a[i] = i / 64 == i % 64 ? 64 : 1.0 / (i % 11 + 1);
    b[i] = i % 7 - 2.5;
  }
}

int main(void) {
  for (int n = 0; n <= 64; n += n < 4 ? 1 : 15) {
    fill_both();
    down(64 - n, n, a, b);
    dump("b", b, sizeof b);
    both(n, a);
    int k = found(n, a, b);
    printf("%d\n", k);
    dump("a", a, sizeof a);
  }
}
#endif
