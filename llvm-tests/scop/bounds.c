// Loop bounds that are affine: triangular, minimum and maximum, steps, downward, 32 and 64 bits, signed and unsigned.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK-NOT: remark
// CHECK-LABEL: scop triangular:0
// CHECK: domain: [p0] -> { Stmt0[i0, i1] : i0 >= 0 and i0 <= i1 < p0 }
// CHECK: must_write: {{.*}} { Stmt0[i0, i1] -> Arr0[o0 = i0, o1 = i1] }
void triangular(int n, double A[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      A[i][j] = 1.0;
}

// CHECK-LABEL: scop smaller:0
// CHECK: domain: {{.*}} { Stmt0[i0] : 0 <= i0 < p0 and i0 < p1 }
void smaller(int n, int m, double *A) {
  for (int i = 0; i < (n < m ? n : m); i++)
    A[i] = 1.0;
}

// CHECK-LABEL: scop larger:0
// CHECK: domain: {{.*}} { Stmt0[i0] : p0 <= 99 and p1 <= i0 <= 99 }
void larger(int n, double *A) {
  for (int i = n > 0 ? n : 0; i < 100; i++)
    A[i] = 1.0;
}

// CHECK-LABEL: scop steps:0
// CHECK: domain: {{.*}} { Stmt0[i0] : p0 > 3i0 and i0 >= 0 }
// CHECK: must_write: {{.*}} { Stmt0[i0] -> Arr0[o0 = i0, o1 = 0] }
void steps(int n, double *A) {
  for (int i = 0; i < n; i += 3)
    A[i] = 1.0;
}

// CHECK-LABEL: scop downward:0
// CHECK: domain: {{.*}} { Stmt0[i0] : 0 <= i0 < p0 }
// CHECK: must_write: {{.*}} { Stmt0[i0] -> Arr0[o0 = p0 - i0 - 1] }
void downward(long n, double *A) {
  for (long i = n - 1; i >= 0; i--)
    A[i] = 1.0;
}

// CHECK-LABEL: scop unsigned_count:0
// CHECK: domain: {{.*}} { Stmt0[i0] : 0 <= i0 < p0 }
void unsigned_count(unsigned n, double *A) {
  for (unsigned i = 0; i < n; i++)
    A[i] = 1.0;
}

// CHECK-LABEL: scop size_count:0
// CHECK: domain: {{.*}} { Stmt0[i0] : 0 <= i0 < p0 }
void size_count(unsigned long n, double *A) {
  for (unsigned long i = 0; i < n; i++)
    A[i] = 1.0;
}

// A window around each column: the lower end is a maximum, the upper one a minimum, both are counted.
// CHECK-LABEL: scop window:0
// CHECK: domain: {{.*}} Stmt0[i0, i1]
void window(int n, int b, double *A) {
  for (int j = 0; j < n; j++) {
    int first = j - b > 0 ? j - b : 0, last = j + b < n ? j + b : n - 1;
    for (int i = first; i <= last; i++)
      A[i * n + j] += 1.0;
  }
}
