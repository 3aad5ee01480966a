// What stands behind a condition on data may run: its accesses are part of the statement, its stores may write; in a
// loop there they reach any element. A call there, a loop around a call, or a jump elsewhere is rejected where the
// condition stands; nests beside it are not.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: scop on_data:0
// CHECK: stmt Stmt0
// CHECK: read: [p0] -> { Stmt0[i0] -> Arr0[o0 = i0] }
// CHECK-NOT: must_write
// CHECK: may_write: [p0] -> { Stmt0[i0] -> Arr1[o0 = i0] }
// CHECK-NOT: must_write
// CHECK: stmt Stmt1
// CHECK: must_write: [p0] -> { Stmt1[i0] -> Arr0[o0 = i0] }
void on_data(int n, double *restrict A, double *restrict B) {
  for (int i = 0; i < n; i++)
    if (A[i] > 0.0)
      B[i] = A[i];
  for (int i = 0; i < n; i++)
    A[i] = 1.0;
}

void told(double);

// CHECK-LABEL: scop with_call:0
// CHECK-COUNT-1: stmt
// CHECK-NOT: stmt
// CHECK: conditions-not-affine.c:[[#@LINE+3]]:{{.*}}not optimized: this condition is not affine
void with_call(int n, double *restrict A, double *restrict B) {
  for (int i = 0; i < n; i++)
    if (A[i] > 0.0) {
      told(A[i]);
      B[i] = A[i];
    }
  for (int i = 0; i < n; i++)
    A[i] = 1.0;
}

// CHECK-LABEL: scop with_loop:0
// CHECK-COUNT-1: stmt
// CHECK-NOT: stmt
// CHECK: may_write: [p0] -> { Stmt0[i0] -> Arr0[o0] }
// CHECK-NOT: stmt
void with_loop(int n, double *restrict A, double B[restrict][100]) {
  for (int i = 0; i < n; i++)
    if (A[i] > 0.0)
      for (int j = 0; j < n; j++)
        A[j] += B[i][j];
}

// CHECK: conditions-not-affine.c:[[#@LINE+3]]:{{.*}}not optimized: this condition is not affine
void with_loop_and_call(int n, double *restrict A, double B[restrict][100]) {
  for (int i = 0; i < n; i++)
    if (A[i] > 0.0)
      for (int j = 0; j < n; j++)
        told(A[j]);
}

// CHECK: conditions-not-affine.c:[[#@LINE+2]]:{{.*}}not optimized
void ends_early(int n, double *restrict A, double *restrict B) {
  for (int i = 0; i < n; i++) {
    if (A[i] > 0.0)
      break;
    B[i] = A[i];
  }
}

// CHECK: conditions-not-affine.c:[[#@LINE+3]]:{{.*}}not optimized: this condition is not affine
void is_volatile(int n, double *restrict A, volatile double *restrict B) {
  for (int i = 0; i < n; i++)
    if (A[i] > 0.0)
      B[i] = A[i];
}
