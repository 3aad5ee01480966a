// A component of a distance may be negative as long as an outer one is positive.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-dependences>' -disable-output %t.ll 2>&1 | FileCheck %s

// CHECK: dependences of skew:0
// CHECK-NEXT: RAW Stmt0 -> Stmt0 on Arr0:
// CHECK-NEXT: direction (<, >), distance (1, -1)
// CHECK-NOT: direction

void skew(int n, double a[101][101]) {
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 100; j++)
      a[i + 1][j] = 0.5 * a[i][j + 1];
}
