// Reversed copies and rings: the loop carries a dependence as it is, halves cut at the turning point do not. Without
// the option, and where a dependence does not turn, loops stay whole.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=reversed -polyrs-parallel \
// RUN:   -polyrs-index-set-splitting %t.ll 2>&1 | FileCheck --check-prefix=SPLIT %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=reversed -polyrs-parallel %t.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=WHOLE %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=shifted -polyrs-parallel \
// RUN:   -polyrs-index-set-splitting %t.ll 2>&1 | FileCheck --check-prefix=WHOLE %s
// RUN: %clang -O3 -I%S/../codegen/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-index-set-splitting -mllvm -polyrs-tile-sizes=5 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}4 regions transformed

// SPLIT: domain: {{.*}}Stmt1[
// SPLIT: roles: "{ threads[0]

// WHOLE-NOT: Stmt1
// WHOLE-NOT: roles:

#include "dump.h"

#include <stdlib.h>

KERNEL void reversed(long n, double *a) {
  for (long t = 0; t < 100; t++)
    for (long i = 0; i < n; i++)
      a[i] = 0.5 * a[n - 1 - i] + 0.25;
}

KERNEL void shifted(long n, double *a) {
  for (long t = 0; t < 100; t++)
    for (long i = 1; i < n; i++)
      a[i] = 0.5 * a[i - 1] + 0.25;
}

KERNEL void ring(int steps, int n, double a[restrict n], double b[restrict n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      if (i == 0)
        b[i] = 0.25 * a[n - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
      else if (i == n - 1)
        b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[0];
      else
        b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
    }
    for (int i = 0; i < n; i++)
      a[i] = b[i];
  }
}

int main(void) {
  static const int sizes[] = {2, 3, 4, 5, 16, 33, 64};
  for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++) {
    int n = sizes[s];
    double *a = calloc(n, 8), *b = calloc(n, 8);
    fill(a, n, 1);
    reversed(n, a);
    dump("a", a, n * 8);
    shifted(n, a);
    dump("a", a, n * 8);
    ring(20, n, a, b);
    dump("a", a, n * 8);
    dump("b", b, n * 8);
    free(a), free(b);
  }
}
