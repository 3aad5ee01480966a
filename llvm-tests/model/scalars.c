// Scalars: those inside one statement need no memory, those that cross statements are zero-dimensional arrays.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: scop local:0
// CHECK-NOT: value
// CHECK-LABEL: scop carried:0
void local(int n, double *A) {
  for (int i = 0; i < n; i++) {
    double t = A[i] * 2.0;
    A[i] = t + 1.0;
  }
}

// CHECK: phi f64 []
// CHECK: must_write: {{.*}} { Stmt0[i0] -> Arr{{[0-9]}}[] }
// CHECK: read: {{.*}} { Stmt1[i0, i1] -> Arr{{[0-9]}}[] }
// CHECK-LABEL: scop again:0
void carried(int n, double A[n][n], double *x) {
  for (int i = 0; i < n; i++) {
    double s = 0.0;
    for (int j = 0; j < n; j++)
      s += A[i][j];
    x[i] = s;
  }
}

// A load of memory that nothing writes is repeated where it is used.
// CHECK-NOT: value
// CHECK: read: {{.*}} { Stmt0[i0, i1] -> Arr{{[0-9]}}[o0 = i0] }
// CHECK-LABEL: scop escapes:0
void again(int n, double A[n][n], double *restrict x) {
  for (int i = 0; i < n; i++) {
    double t = x[i];
    for (int j = 0; j < n; j++)
      A[i][j] *= t;
  }
}

// CHECK: array Arr{{[0-9]}} phi f64 []
double escapes(int n, double *A) {
  double s = 0.0;
  for (int i = 0; i < n; i++) {
    A[i] += 1.0;
    s += A[i];
  }
  return s;
}
