// A comparison of floating-point numbers that no loop changes is made before the loops, so that branches on it are
// conditions on a parameter; one of what the loops store or load in each iteration is data.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -disable-output 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 %s -DRUN -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable %s -DRUN -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define KERNEL __attribute__((noinline))

// CHECK-LABEL: scop scaled:0
// CHECK-NOT: may_write
// CHECK: stmt Stmt0
// CHECK-NEXT: domain: {{.*}}= -1{{.*}}
// CHECK: stmt Stmt1
// CHECK: stmt Stmt2
// CHECK-NOT: stmt Stmt3
KERNEL void scaled(int n, int k, double beta, double *restrict c, const double *restrict a) {
  for (int j = 0; j < n; j++) {
    if (beta == 0.0) {
      for (int i = 0; i < n; i++)
        c[i + j * n] = 0.0;
    } else if (beta != 1.0) {
      for (int i = 0; i < n; i++)
        c[i + j * n] *= beta;
    }
    for (int l = 0; l < k; l++)
      for (int i = 0; i < n; i++)
        c[i + j * n] += a[i + l * n];
  }
}

// CHECK-LABEL: scop stored:0
// CHECK: may_write
KERNEL void stored(int n, double *restrict c, double *restrict limit) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      if (limit[0] > 3.0)
        c[i + j * n] = 0.0;
      limit[i] += 1.0;
    }
}

#ifdef RUN
int main(void) {
  static double a[900], c[900];
  double betas[] = {0.0, 1.0, 0.25, -0.0, __builtin_nan("")};
  for (int t = 0; t < 5; t++) {
    for (int k = 0; k < 900; k++) {
      a[k] = k % 7;
      c[k] = k % 11;
    }
    scaled(30, 20, betas[t], c, a);
    stored(9, a, c);
    for (int k = 0; k < 900; k++)
      printf("%g %g\n", c[k] == c[k] ? c[k] : -1, a[k]);
  }
}
#endif
