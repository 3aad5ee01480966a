// Loops that stay with the host, and why; a file without kernels needs no library of ours.

// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS-NOT: polyrs_gpu

// CHECK: loops get no kernel for a GPU: every loop carries a dependence
void prefix(int n, double *a) {
  for (int i = 1; i < n; i++)
    a[i] += a[i - 1] * 0.5;
}

// CHECK: loops get no kernel for a GPU: values cross statements or leave the loops outside of memory
double sums(int n, const double *restrict a, double *restrict b) {
  double s = 0;
  for (int i = 0; i < n; i++)
    b[i] = s += a[i];
  return s;
}

// CHECK: loops get no kernel for a GPU: a GPU may compute other bits in
void waves(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = __builtin_floor(b[i]);
}

// CHECK: loops get no kernel for a GPU: conditions on data decide what is accessed
void guarded(int n, const int *restrict where, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    if (where[i] > 3)
      a[i] = b[i];
}
