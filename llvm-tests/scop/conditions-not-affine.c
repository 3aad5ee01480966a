// Conditions on data are rejected where they stand; nests beside them are not.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: scop on_data:0
// CHECK-COUNT-1: stmt
// CHECK-NOT: stmt
// CHECK: conditions-not-affine.c:[[#@LINE+3]]:{{.*}}not optimized: this condition is not affine
void on_data(int n, double *A, double *B) {
  for (int i = 0; i < n; i++)
    if (A[i] > 0.0)
      B[i] = A[i];
  for (int i = 0; i < n; i++)
    A[i] = 1.0;
}
