// A wish for vectors (`vectorize(enable)`, `vectorize(assume_safety)`, `#pragma omp simd`) does not pin a loop: new
// loops may run in vectors, and give the results of iterations in order. Where LLVM would sum up in another order for
// it, the loop stays as it is: so do its bits.

// RUN: %clang -O1 -march=x86-64-v3 -fopenmp-simd -Xclang -disable-llvm-passes -gline-tables-only -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -pass-remarks-missed=polyrs -polyrs-fatal-bugs -polyrs-verify-ast -disable-output %t.ll 2>&1 \
// RUN:   | FileCheck %s
// RUN: %clang -O3 -DMAIN -march=x86-64-v3 -fopenmp-simd -ffp-contract=off %s -o %t.old
// RUN: %clang -O3 -DMAIN -march=x86-64-v3 -fopenmp-simd -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>
#include <stdlib.h>

#define FN __attribute__((noinline)) void

// CHECK: hints-for-vectors.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: packed for
FN product(int n, double *restrict a, double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
#pragma clang loop vectorize(assume_safety)
      for (int j = 0; j < n; j++)
        c[i * (long)n + j] += a[i * (long)n + k] * b[k * (long)n + j];
}

// CHECK: hints-for-vectors.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}rows in 4 lanes
FN transpose(int n, double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
#pragma omp simd
    for (int j = 0; j < n; j++)
      b[j * (long)n + i] = a[i * (long)n + j];
}

// Integers may be summed up in any order.
// CHECK: hints-for-vectors.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}interchanged
FN integers(int n, int *restrict a, int *restrict x, int *restrict y) {
  for (int j = 0; j < n; j++)
#pragma clang loop vectorize(enable)
    for (int i = 0; i < n; i++)
      y[j] += a[i * (long)n + j] * x[i];
}

// CHECK: hints-for-vectors.c:[[#@LINE+4]]:{{[0-9]+}}: loops not optimized: a hint in the source says what is to be done with this loop (vectorize(enable))
FN sums(int n, double *restrict a, double *restrict x, double *restrict y) {
  for (int j = 0; j < n; j++)
#pragma clang loop vectorize(enable)
    for (int i = 0; i < n; i++)
      y[j] += a[i * (long)n + j] * x[i];
}

// CHECK: hints-for-vectors.c:[[#@LINE+4]]:{{[0-9]+}}: loops not optimized: a hint in the source says what is to be done with this loop (vectorize(enable))
FN local_sums(int n, double *restrict a, double *restrict x, double *restrict y) {
  for (int j = 0; j < n; j++) {
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (int i = 0; i < n; i++)
      s += a[i * (long)n + j] * x[i];
    y[j] = s;
  }
}

// A width is for this very loop.
// CHECK: hints-for-vectors.c:[[#@LINE+4]]:{{[0-9]+}}: loops not optimized: a hint in the source says what is to be done with this loop (vectorize_width)
FN wide(int n, double *restrict a, double *restrict b) {
  for (int j = 0; j < n; j++)
#pragma clang loop vectorize(enable) vectorize_width(2)
    for (int i = 0; i < n; i++)
      b[i * (long)n + j] = a[i * (long)n + j] + 1;
}

#ifdef MAIN
static void show(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * (1 + i % 7);
  printf("%a\n", sum);
}

int main(void) {
  enum { N = 173 };
  static double a[N * N], b[N * N], c[N * N], x[N], y[N];
  static int p[N * N], q[N], r[N];
  for (int i = 0; i < N * N; i++) {
    a[i] = (i * 7 % 101) / 13.0;
    b[i] = (i * 5 % 103) / 17.0;
    p[i] = i * 11 % 97;
  }
  for (int i = 0; i < N; i++) {
    x[i] = (i * 3 % 31) / 7.0;
    q[i] = i % 23;
  }
  product(N, a, b, c);
  show(N * N, c);
  transpose(N, a, b);
  show(N * N, b);
  integers(N, p, q, r);
  printf("%d %d\n", r[3], r[N - 1]);
  sums(N, a, x, y);
  show(N, y);
  local_sums(N, b, x, y);
  show(N, y);
  wide(N, c, b);
  show(N * N, b);
}
#endif
