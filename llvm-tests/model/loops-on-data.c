// Innermost loops whose iterations are data are part of a statement, and the loops around them move.

// RUN: %clang -O3 -I%S/../codegen/Inputs %s -o %t.old -lm
// RUN: %clang -O3 -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -Rpass=polyrs -Rpass-missed=polyrs %s -o %t.new -lm 2>&1 | FileCheck %s
// RUN: %clang -O3 -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -mllvm -polyrs-fatal-bugs \
// RUN:   %s -o %t.threads -lm -lomp
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: %t.threads > %t.threads.txt
// RUN: diff %t.old.txt %t.new.txt
// RUN: diff %t.old.txt %t.threads.txt

#include "dump.h"

#define N 60
static double A[N][N], B[N][N], y[N];
static int row[N + 1], col[4 * N], steps[N][N];

// CHECK-DAG: loops-on-data.c:[[#@LINE+2]]:{{.*}}loops reordered
KERNEL void sparse(int n, const int *restrict r, const int *restrict c, const double *restrict v, const double *restrict x, double *restrict out) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = r[i]; k < r[i + 1]; k++)
      s += v[k] * x[c[k]];
    out[i] = s;
  }
}

// CHECK-DAG: loops-on-data.c:[[#@LINE+2]]:{{.*}}loops reordered
KERNEL void escape(int n, int most) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double x = 0, y = 0, cx = i * 0.05 - 2, cy = j * 0.05 - 1.5;
      int k = 0;
      while (k < most && x * x + y * y < 4) {
        double t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        k++;
      }
      steps[i][j] = k;
    }
}

// Two ends, two values that change places, and a store inside.
// CHECK-DAG: loops-on-data.c:[[#@LINE+2]]:{{.*}}loops reordered
KERNEL void pairs(int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      int a = 7 * i + 3 * j + 1, b = 5 * i + 2 * j + 2;
      while (b) {
        if (a == 3 * b)
          break;
        int t = a % b;
        a = b;
        b = t;
        A[i][j] += 0.5;
      }
      B[i][j] += a;
    }
}

// A loop that stores to elements that nobody knows before: the loops around it stay in order.
// CHECK-DAG: loops-on-data.c:[[#@LINE+2]]:{{.*}}loops reordered
KERNEL void sort(int n) {
  for (int r = 0; r < n; r++)
    for (int i = 1; i < n; i++) {
      double v = A[r][i];
      int k = i - 1;
      while (k >= 0 && A[r][k] > v) {
        A[r][k + 1] = A[r][k];
        k--;
      }
      A[r][k + 1] = v;
    }
}

// Nothing says that this loop ends: what stands behind it may never run.
// CHECK-DAG: loops-on-data.c:[[#@LINE+4]]:{{.*}}loops not optimized
KERNEL void endless(int n, const int *restrict x) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      for (int k = x[i];;) {
        if (k < 2)
          break;
        k -= x[j] + 1;
      }
      B[i][j] += 1;
    }
}

int main(void) {
  fill(&A[0][0], N * N, 1);
  fill(&B[0][0], N * N, 2);
  for (int i = 0; i <= N; i++)
    row[i] = i < 3 ? 0 : 4 * (i - 1) - i % 3;
  for (int k = 0; k < 4 * N; k++)
    col[k] = k * 7 % N;
  sparse(N, row, col, &A[0][0], &B[0][0], y);
  dump("sparse", y, sizeof y);
  escape(N, 50);
  dump("escape", steps, sizeof steps);
  pairs(N);
  dump("pairs", A, sizeof A);
  dump("pairs", B, sizeof B);
  sort(N);
  dump("sort", A, sizeof A);
  endless(N, col);
  dump("endless", B, sizeof B);
}
