// The sum is carried by the innermost loop alone, as flow, anti and output dependence; the outer two carry nothing.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-dependences>' -disable-output %t.ll 2>&1 | FileCheck %s

// CHECK: dependences of product:0
// CHECK-NEXT: RAW [[S:Stmt[0-9]+]] -> [[S]] on [[C:Arr[0-9]+]]: [{{.*}}] -> { [[S]][i0, i1, i2] -> [[S]][{{.*}}
// CHECK-NEXT: direction (=, =, <), distance (0, 0, 1
// CHECK-NEXT: WAR [[S]] -> [[S]] on [[C]]:
// CHECK-NEXT: direction (=, =, <), distance (0, 0, 1
// CHECK-NEXT: WAW [[S]] -> [[S]] on [[C]]:
// CHECK-NEXT: direction (=, =, <), distance (0, 0, 1
// CHECK-NOT: direction

void product(int n, double a[n][n], double b[n][n], double c[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
