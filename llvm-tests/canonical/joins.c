// A branch on data whose ways meet others in one block has a join of its own, and is part of a statement then. One that
// leaves the loop on data has no such join.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 %s -DRUN -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable %s -DRUN -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define KERNEL __attribute__((noinline))
#define N 40

// CHECK-NOT: remark
// CHECK-LABEL: scop runs:0
// CHECK: must_write: {{.*}} -> Arr
KERNEL int runs(int n, int m, const char *restrict a, const char *restrict b, int length[restrict N][N]) {
  int best = 0;
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= m; j++) {
      if (i == 0 || j == 0)
        length[i][j] = 0;
      else if (a[i - 1] == b[j - 1]) {
        length[i][j] = length[i - 1][j - 1] + 1;
        if (length[i][j] > best)
          best = length[i][j];
      } else
        length[i][j] = 0;
    }
  return best;
}

// CHECK-LABEL: scop clipped:0
KERNEL double clipped(int n, const double *restrict x, double *restrict y) {
  double kept = 0.0, last = 0.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (j < i)
        last = 1.0;
      else if (x[i] < 0.5 || y[j * n + i] > 3.0)
        last = x[i];
      else
        last = 2.0;
      y[j * n + i] = last;
      kept = j == i ? last : kept;
    }
  return kept;
}

// CHECK: remark: {{.*}}joins.c:[[#@LINE+3]]:{{.*}}not optimized
KERNEL int until(int n, const double *restrict x, double *restrict y) {
  int at = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (j < i)
        at = 1;
      else if (x[i] < 0.0)
        return at;
      else
        at = 2;
      y[j * n + i] = at;
    }
  return at;
}

#ifdef RUN
static char a[N], b[N];
static int length[N][N];
static double x[N], y[N * N];

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = i * 7 % 4, b[i] = i * 5 % 3, x[i] = i % 3 / 2.0;
  for (int i = 0; i < N * N; i++)
    y[i] = i * 31 % 7;
  for (int n = 0; n < N; n += 3) {
    long sum = 0;
    double all = 0.0;
    printf("%d %d", runs(n, N - 1 - n, a, b, length), runs(N - 1, n, a, b, length));
    printf(" %a", clipped(n, x, y));
    for (int i = 0; i < N * N; i++)
      sum = sum * 3 + length[i / N][i % N], all = all * 0.75 + y[i];
    printf(" %ld %a", sum, all);
    x[n] = -1.0;
    printf(" %d\n", until(n, x, y));
    x[n] = 1.0;
  }
  return 0;
}
#endif
