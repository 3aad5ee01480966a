// Vectors whose elements lie an argument apart: LLVM makes a version of the loop for 1, which is what such arguments
// are as a rule, and new code has to be faster than that.

// RUN: %clang -O3 -march=x86-64-v3 -c -o /dev/null -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs %s 2>&1 | FileCheck %s

// CHECK-NOT: loops reordered
// CHECK: increments.c:[[@LINE+3]]:3: remark: order of the loops kept
// CHECK-NOT: loops reordered
void gemv_t(int m, int n, double alpha, const double *a, int lda, const double *x, int incx, double *y, int incy) {
  for (int j = 0; j < m; j++) {
    const double temp = alpha * x[j * incx];
    if (temp != 0.0)
      for (int i = 0; i < n; i++)
        y[i * incy] += temp * a[lda * j + i];
  }
}

// The columns of a matrix are no such vectors.
// CHECK: loops reordered
void columns(int n, int lda, double *restrict y, const double *restrict a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[i] += a[j * lda + i];
}
