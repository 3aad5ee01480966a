// Loops that stay with the host, and why; a file without kernels needs no library of ours.

// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS-NOT: polyrs_gpu

// Told once, although the function is looked at again without a GPU.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-parallel -mllvm -polyrs-only-func=given_up -mllvm -polyrs-process-unprofitable -Rpass-missed=polyrs -c %s -o %t.o 2> %t.log
// RUN: grep "remark: loops run in one thread" %t.log | count 1
// RUN: grep "remark: loops get no kernel for a GPU: a GPU may compute other bits" %t.log | count 1
// RUN: grep "remark: loops get no kernel for a GPU: every loop carries" %t.log | count 1

// CHECK: loops get no kernel for a GPU: every loop carries a dependence
void prefix(int n, double *a) {
  for (int i = 1; i < n; i++)
    a[i] += a[i - 1] * 0.5;
}

// CHECK: loops get no kernel for a GPU: every loop carries a dependence
double sums(int n, const double *restrict a, double *restrict b) {
  double s = 0;
  for (int i = 0; i < n; i++)
    b[i] = s += a[i];
  return s;
}

// CHECK: loops get no kernel for a GPU: a GPU may compute other bits in
void waves(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = __builtin_fmax(b[i], 1.5);
}

// Functions of the mathematical library have other bits on a GPU, whatever the flags, unless there is libdevice.
// MATH: loops get no kernel for a GPU: a GPU may compute other bits in {{.*}}exp
// MATH: loops get no kernel for a GPU: a GPU may compute other bits in {{.*}}pow
// RUN: %clang -O3 -ffast-math -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-only-func=math -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MATH
void math_exp(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = __builtin_exp(b[i]);
}

void math_pow(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = __builtin_pow(b[i], 1.7);
}

// CHECK: loops get no kernel for a GPU: conditions on data decide what is accessed
void guarded(int n, const int *restrict where, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    if (where[i] > 3)
      a[i] = b[i];
}

// How far the table is read is data: what lies behind may not be there.
// CHECK: loops get no kernel for a GPU: a subscript that is not affine says which elements are accessed
void looked_up(int n, const unsigned char *restrict which, const double *restrict table, double *restrict a) {
  for (int i = 0; i < n; i++)
    a[i] = table[which[i]];
}

volatile int between;

// The function has one region without parallel loops, and one whose kernel is given up.
void given_up(int n, double *restrict a, double *restrict b) {
  for (int i = 1; i < n; i++)
    a[i] += a[i - 1] * 0.5;
  between = 1;
  for (int i = 0; i < n; i++)
    b[i] = __builtin_fmax(b[i], 1.5);
}
