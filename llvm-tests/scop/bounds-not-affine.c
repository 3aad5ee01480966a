// Loop bounds that are not affine are rejected where the loop is.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK: bounds-not-affine.c:[[#@LINE+2]]:{{.*}}not optimized: the number of iterations of this loop is not an affine function
void square(int n, double *A) {
  for (int i = 1; i < n; i *= 2)
    A[i] = 1.0;
}

// CHECK: bounds-not-affine.c:[[#@LINE+3]]:{{.*}}not optimized: the number of iterations of this loop is not an affine function
// CHECK-NOT: scop loaded
void loaded(int n, int *last, double *A) {
  for (int i = 0; i < last[i]; i++)
    A[i] = 1.0;
}
