// Interchange of a triangle that every second column of is visited: exact bounds, the step stays.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-ast>' -polyrs-process-unprofitable -polyrs-tiling=false -disable-output %t.ll 2>&1 | FileCheck %s

// CHECK: for ([[J:c[0-9]+]] = 3; [[J]] <= p0 - 1; [[J]]++) {
// CHECK-NEXT: for ([[I:c[0-9]+]] = 0; [[I]] <= min(floord([[J]] - 3, 2), 3); [[I]]++)
// CHECK-NEXT: Stmt0([[I]], [[J]]);

double A[100][10];
void set(int n) {
  for (int i = 3; i < 10; i += 2)
    for (int j = i; j < n; j++)
      A[j][i] = 0;
}
