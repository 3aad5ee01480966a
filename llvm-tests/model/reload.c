// What a loop just stored is read from memory again, not from the register that forwarding put it in: no scalar ties
// the nest together.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -disable-output 2>&1 | FileCheck %s

double A[50][60], x[50];

// CHECK-LABEL: scop mean:0
// CHECK-NOT: value
// CHECK-NOT: phi
// CHECK: stmt Stmt2
// CHECK: read: { Stmt2[i0] -> Arr{{[0-9]}}[o0 = i0] }
void mean(double n) {
  for (int i = 0; i < 50; i++) {
    x[i] = 0.0;
    for (int j = 0; j < 60; j++)
      x[i] += A[i][j];
    x[i] /= n;
  }
}
