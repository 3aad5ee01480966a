// Loops behind a test for zero, as products in libraries have them, are in the domain for all instances, and the test
// is of the data before new code runs. Not where the loops may store to what is tested, or the test is another one:
// such loops are part of a statement.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: scop columns:0
// CHECK: # tested: 1 conditions for {{.*}} 0 <= i0 < p0 and 0 <= i1 < p1 }
// CHECK: domain: {{.*}} Stmt0[i0, i1, i2] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
// CHECK: must_write: {{.*}} Stmt0[i0, i1, i2] -> Arr2[o0 = i0, o1 = i2] }
void columns(int m, int n, int k, double alpha, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int j = 0; j < n; j++)
    for (int l = 0; l < k; l++) {
      double t = alpha * b[l + j * k];
      if (t != 0.0)
        for (int i = 0; i < m; i++)
          c[i + j * m] += t * a[i + l * m];
    }
}

// CHECK-LABEL: scop either:0
// CHECK: # tested: 1 conditions for
// CHECK: domain: {{.*}} Stmt0[i0, i1, i2]
void either(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int j = 0; j < n; j++)
    for (int l = 0; l < n; l++)
      if ((a[j + l * n] != 0.0) | (b[j + l * n] != 0.0))
        for (int i = 0; i < n; i++)
          c[i + j * n] += a[i + l * n] * b[j + l * n] + b[i + l * n] * a[j + l * n];
}

// CHECK-LABEL: scop continues:0
// CHECK: # tested: 1 conditions for
void continues(int n, const int *restrict a, const int *restrict b, int *restrict c) {
  for (int j = 0; j < n; j++)
    for (int l = 0; l < n; l++) {
      if (b[l + j * n] == 0)
        continue;
      for (int i = 0; i < n; i++)
        c[i + j * n] += b[l + j * n] * a[i + l * n];
    }
}

// CHECK-LABEL: scop solves:0
// CHECK-NOT: # tested
// CHECK: may_write
void solves(int n, const double *restrict a, double *restrict b) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++)
      if (b[k + j * n] != 0.0)
        for (int i = k + 1; i < n; i++)
          b[i + j * n] -= b[k + j * n] * a[i + k * n];
}

// CHECK-LABEL: scop filled_before:0
// CHECK-NOT: # tested
// CHECK: scop filled_before:1
// CHECK: # tested: 1 conditions for
void filled_before(int n, const double *restrict a, double *restrict b, double *restrict c) {
  for (int j = 0; j < n; j++)
    for (int l = 0; l < n; l++)
      b[l + j * n] += a[j + l * n];
  for (int j = 0; j < n; j++)
    for (int l = 0; l < n; l++)
      if (b[l + j * n] != 0.0)
        for (int i = 0; i < n; i++)
          c[i + j * n] += b[l + j * n] * a[i + l * n];
}

// CHECK-LABEL: scop larger:0
// CHECK-NOT: # tested
// CHECK: may_write
void larger(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int j = 0; j < n; j++)
    for (int l = 0; l < n; l++)
      if (b[l + j * n] > 1.0)
        for (int i = 0; i < n; i++)
          c[i + j * n] += b[l + j * n] * a[i + l * n];
}
