// Affine conditions: comparisons, and, or, not, remainders; else branches.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK-NOT: remark
// CHECK-LABEL: scop diagonal:0
// CHECK: stmt Stmt0
// CHECK-NEXT: domain: {{.*}} { Stmt0[i0, i1 = i0] : 0 <= i0 < p0 }
// CHECK: stmt Stmt1
// CHECK-NEXT: domain: {{.*}} { Stmt1[i0, i1] : i0 < p0 and 0 <= i1 < i0; Stmt1[i0, i1] : i0 >= 0 and i0 + 1 <= i1 < p0 }
void diagonal(int n, double A[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i == j)
        A[i][j] = 1.0;
      else
        A[i][j] *= 2.0;
}

// CHECK-LABEL: scop both:0
// CHECK: domain: {{.*}} { Stmt0[i0] : 3 <= i0 < p0 and i0 <= 10 }
void both(int n, double *A) {
  for (int i = 0; i < n; i++)
    if (i > 2 && i <= 10)
      A[i] = 1.0;
}

// CHECK-LABEL: scop either:0
// CHECK: domain: {{.*}} { Stmt0[i0] : 11 <= i0 < p0; Stmt0[i0] : 0 <= i0 < p0 and i0 <= 1 }
void either(int n, double *A) {
  for (int i = 0; i < n; i++)
    if (i < 2 || i > 10)
      A[i] = 1.0;
}

// CHECK-LABEL: scop even:0
// CHECK: domain: {{.*}} { Stmt0[i0] : (i0) mod 2 = 0 and 0 <= i0 < p0 }
// CHECK: must_write: {{.*}} { Stmt0[i0] -> Arr0[o0 = i0] }
void even(int n, double *A) {
  for (int i = 0; i < n; i++)
    if (i % 2 == 0)
      A[i] = 1.0;
}
