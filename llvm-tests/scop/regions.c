// A function body is one region; what cannot be part of it splits it.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: scop whole:0
// CHECK: schedule: [0, i0, 0]
// CHECK: schedule: [1]
// CHECK: schedule: [2, i0, 0, i1, 0]
// CHECK: schedule: [2, i0, 1]
// CHECK-NOT: scop whole:1
void whole(int n, double A[n][n], double *x) {
  for (int i = 0; i < n; i++)
    x[i] = 0.0;
  x[0] = 5.0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      x[i] += A[i][j];
    x[i] *= 2.0;
  }
}

// The outer loop's trip count is not affine: its body is a region of its own.
// CHECK-LABEL: scop inner:0
// CHECK: domain: {{.*}} { Stmt0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p0 }
// CHECK: regions.c:[[#@LINE+2]]:{{.*}}not optimized: the number of iterations
void inner(int n, double A[n][n]) {
  for (int t = 1; t < n; t *= 2)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] += 1.0;
}
