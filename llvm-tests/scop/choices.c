// Nests of which one runs are regions of their own, as the cases of a product in the BLAS; what is flat stays with what
// comes behind.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: scop product:0
// CHECK:       Stmt0[
// CHECK-LABEL: scop product:1
// CHECK:       Stmt0[
// CHECK-LABEL: scop product:2
void product(int n, int turned, int other, const double *restrict a, const double *restrict b, double *restrict c) {
  if (turned) {
    if (other) {
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          for (int k = 0; k < n; k++)
            c[i * n + j] += a[k * n + i] * b[j * n + k];
    } else {
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          for (int k = 0; k < n; k++)
            c[i * n + j] += a[k * n + i] * b[k * n + j];
    }
  } else {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

// CHECK-LABEL: scop scaled:0
// CHECK:       Stmt2[
// CHECK-NOT:   scop scaled:1
void scaled(int n, int keeps, const double *restrict a, const double *restrict b, double *restrict c) {
  if (keeps) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i * n + j] *= 2;
  } else {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i * n + j] = 0;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
