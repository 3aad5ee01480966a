// Two statements of a stencil share skewed tiles; what sticks out of a tile at the borders is separated, not tested
// inside.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-ast>' -polyrs-process-unprofitable -polyrs-tile-sizes=16 -polyrs-diamond-tiling=false -disable-output %t.ll 2>&1 | FileCheck %s

// CHECK: if ({{.*}}p0 >= 16 * [[T:c[0-9]+]] + 16{{.*}}) {
// CHECK-NOT: if
// CHECK: Stmt0([[S:c[0-9]+]], [[I:c[0-9]+]] - 2 * [[S]]);
// CHECK-NEXT: Stmt1([[S]], [[I]] - 2 * [[S]] - 1);
// CHECK: } else {
// CHECK-NEXT: for ([[S:c[0-9]+]] = {{.*}}) {
// CHECK-NEXT: if ({{.*}})
// CHECK-NEXT: Stmt0([[S]], 1);
// CHECK-NEXT: for ([[I:c[0-9]+]] = max(2 * [[S]] + 2, 16 * {{c[0-9]+}}); [[I]] <= min(2 * [[S]] + p1 - 2, 16 * {{c[0-9]+}} + 15); [[I]]++) {
// CHECK-NEXT: Stmt0([[S]], [[I]] - 2 * [[S]]);
// CHECK-NEXT: Stmt1([[S]], [[I]] - 2 * [[S]] - 1);
// CHECK-NEXT: }
// CHECK-NEXT: if ({{.*}})
// CHECK-NEXT: Stmt1([[S]], p1 - 2);

void jacobi(int t, int n, double *restrict a, double *restrict b) {
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = 0.25 * (a[i - 1] + 2.0 * a[i] + a[i + 1]);
    for (int i = 1; i < n - 1; i++)
      a[i] = 0.25 * (b[i - 1] + 2.0 * b[i] + b[i + 1]);
  }
}
