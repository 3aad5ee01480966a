// Assumptions: wrap-around of narrow products, unsigned differences; ranges of parameters by their types.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: scop diagonal:0
// CHECK: invalid: {{.*}} 46341 <= p0
void diagonal(int n, double *A) {
  for (int i = 0; i < n; i++)
    A[i * n + i] = 1.0;
}

// CHECK-LABEL: scop types:0
// CHECK: assumed: {{.*}} p1 <= 1099511627776
// CHECK: defined: {{.*}} p0 <= 2147483647
void types(int n, long m, double *A) {
  for (int i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      A[i + j] = 1.0;
}

// CHECK-LABEL: scop unsigned_end:0
// CHECK: invalid: {{.*}} { : {{.*}} }
void unsigned_end(unsigned n, double *A) {
  for (unsigned i = 0; i != n - 1; i++)
    A[i] = 1.0;
}
