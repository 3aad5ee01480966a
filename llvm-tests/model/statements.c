// One statement per store; stores that share a load of written memory stay together.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

double A[100], B[100], C[100];

// CHECK-LABEL: scop apart:0
// CHECK: stmt Stmt1
void apart(void) {
  for (int i = 0; i < 100; i++) {
    B[i] = A[i] + 1.0;
    C[i] = A[i] + 2.0;
  }
}

// CHECK-LABEL: scop together:0
// CHECK: must_write: { Stmt0[i0] -> Arr
// CHECK-NEXT: must_write: { Stmt0[i0] -> Arr
// CHECK-NOT: stmt Stmt1
void together(void) {
  for (int i = 0; i < 100; i++) {
    double a = A[i];
    A[i] = B[i];
    B[i] = a;
  }
}
