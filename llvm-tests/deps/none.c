// Even elements are computed from odd ones: accesses to one array, but never to one element.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-dependences>' -disable-output %t.ll 2>&1 | FileCheck %s

// CHECK: dependences of even:0
// CHECK-NEXT: no dependences
// CHECK-NOT: RAW

double a[400], b[400];

void even(void) {
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 2; j++)
      a[4 * i + 2 * j] = a[4 * i + 2 * j + 1] + b[i];
}
