// Tiles written by hand, whose last ones end at the size: what is below a minimum is below each of its numbers, in one
// piece of the domain for any number of loops. What is below a maximum is in pieces, and too many of these are refused.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 %s -DRUN -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable %s -DRUN -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define KERNEL __attribute__((noinline))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

// CHECK-NOT: remark
// CHECK-LABEL: scop product:0
// CHECK: domain: [p0] -> { Stmt0[i0, i1, i2, i3, i4, i5] : i0 >= 0 and i1 >= 0 and i2 >= 0 and 16i0 <= i3 <= 16i0 + 15 and i3 < p0 and 24i1 <= i4 <= 24i1 + 23 and i4 < p0 and 8i2 <= i5 <= 8i2 + 7 and i5 < p0 }
// CHECK-NOT: remark
KERNEL void product(int n, const double *restrict A, const double *restrict B, double *restrict C) {
  for (int ii = 0; ii < n; ii += 16)
    for (int jj = 0; jj < n; jj += 24)
      for (int kk = 0; kk < n; kk += 8)
        for (int i = ii; i < MIN(ii + 16, n); i++)
          for (int j = jj; j < MIN(jj + 24, n); j++)
            for (int k = kk; k < MIN(kk + 8, n); k++)
              C[i * n + j] += A[i * n + k] * B[k * n + j];
}

// CHECK-LABEL: scop four:0
// CHECK: domain: {{.*}} { Stmt0[i0, i1, i2, i3, i4, i5, i6, i7] :
// CHECK-SAME: and i7 < p0 }
KERNEL void four(int n, double *restrict A) {
  for (int ii = 0; ii < n; ii += 4)
    for (int jj = 0; jj < n; jj += 4)
      for (int kk = 0; kk < n; kk += 4)
        for (int ll = 0; ll < n; ll += 4)
          for (int i = ii; i < MIN(ii + 4, n); i++)
            for (int j = jj; j < MIN(jj + 4, n); j++)
              for (int k = kk; k < MIN(kk + 4, n); k++)
                for (int l = ll; l < MIN(ll + 4, n); l++)
                  A[((i * n + j) * n + k) * n + l] += 1.0;
}

// CHECK: remark: {{.*}}tiled-by-hand.c:[[#@LINE+6]]:{{.*}}too many alternatives of conditions
KERNEL void larger(int n, int m, int o, int p, int q, double *restrict A) {
  for (int i = 0; i < MAX(m, n); i++)
    for (int j = 0; j < MAX(o, i); j++)
      for (int k = 0; k < MAX(p, j); k++)
        for (int l = 0; l < MAX(q, k); l++)
          for (int h = 0; h < MAX(q, l); h++)
            A[(((i * 16 + j) * 16 + k) * 16 + l) * 16 + h] += 1.0;
}

#ifdef RUN
#define N 50
static double a[16 * 16 * 16 * 16 * 16], b[N * N], c[N * N];

static void show(const char *name, const double *x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum = sum * 0.75 + x[i];
  printf("%s %a\n", name, sum);
}

int main(void) {
  for (int i = 0; i < N * N; i++)
    a[i] = (i * 7919 % 1000) / 8.0, b[i] = (i * 104729 % 1000) / 16.0;
  for (int n = 0; n <= N; n += 7)
    product(n, a, b, c), show("product", c, N * N);
  for (int n = 0; n < 12; n++)
    four(n, a), show("four", a, 12 * 12 * 12 * 12);
  larger(5, 3, 4, 2, 6, a), show("larger", a, 16 * 16 * 16 * 16 * 16);
  return 0;
}
#endif
