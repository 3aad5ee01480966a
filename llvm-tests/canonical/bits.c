// Tests that LLVM makes one of, of the bits of several counters (`i == 0 && j == 0` is `(i | j) == 0` to it), are
// conditions on each counter; the same of what the loops load is data.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -disable-output 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 %s -DRUN -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable %s -DRUN -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define KERNEL __attribute__((noinline))

// CHECK-LABEL: scop path:0
// CHECK-NOT: may_write
// CHECK: domain: {{.*}} { Stmt0[i0 = 0, i1 = 0] {{.*}} }
KERNEL void path(int n, int m, const double *restrict cost, double *restrict best) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double before;
      if (i == 0 && j == 0)
        before = 0;
      else if (i == 0)
        before = best[j - 1];
      else if (j == 0)
        before = best[(i - 1) * m];
      else
        before = best[(i - 1) * m + j] < best[i * m + j - 1] ? best[(i - 1) * m + j] : best[i * m + j - 1];
      best[i * m + j] = before + cost[i * m + j];
    }
}

// CHECK-LABEL: scop corner:0
// CHECK-NOT: may_write
// CHECK: domain: {{.*}} { Stmt0[i0 = 0, i1 = 0, i2 = 0] {{.*}} }
KERNEL void corner(int n, double *restrict a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        if (i == 0 && j == 0 && k == 0)
          a[(i * n + j) * n + k] = 1.0;
        else
          a[(i * n + j) * n + k] += 0.5;
}

// CHECK-LABEL: scop outside:0
// CHECK-NOT: may_write
// CHECK: scop data:0
KERNEL void outside(int n, int d, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i - d < 0 || j - d < 0)
        b[i * n + j] = 0.0;
      else
        b[i * n + j] = a[i * n + j];
}

// CHECK: may_write
KERNEL void data(int n, const int *restrict u, const int *restrict v, double *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (u[i] == 0 && v[j] == 0)
        b[i * n + j] = 0.0;
}

#ifdef RUN
#define N 37
static double a[N * N * N], b[N * N * N];
static int u[N], v[N];

static void show(const char *name, const double *x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum = sum * 0.75 + x[i];
  printf("%s %a\n", name, sum);
}

int main(void) {
  for (int i = 0; i < N * N * N; i++)
    a[i] = (i * 7919 % 1000) / 8.0;
  for (int i = 0; i < N; i++)
    u[i] = i % 3, v[i] = i % 2;
  for (int n = 0; n <= N; n += 9) {
    path(n, N - n, a, b), show("path", b, N * N);
    path(N, n, a, b), show("path", b, N * N);
    corner(n, b), show("corner", b, N * N * N);
    for (int d = -1; d <= n; d += 3)
      outside(n, d, a, b), show("outside", b, N * N);
    data(n, u, v, b), show("data", b, N * N);
  }
  return 0;
}
#endif
