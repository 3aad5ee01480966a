// Two loops under one test, of which the second one has its row's pointer loaded behind the test: where the place in
// the table is the counter of a loop around, in bytes, nothing says which row it is, and the region begins behind the
// load.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -gline-tables-only -Rpass=polyrs %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include "dump.h"

#define N 80

KERNEL void downwards(int m, double **a, double *w) {
  for (int i = 3; i >= 0; i--) {
    for (int j = 1; j < m; j++)
      w[j + 1] = w[j + 1] < a[2 * i + 1][i - j + 33] ? 1.25 : a[j + 1][33 - j];
    // CHECK-DAG: row-guards.c:[[#@LINE+1]]:{{.*}} loops reordered: {{.*}}if a run-time check allows it
    for (int k = 1; k < m; k++)
      a[i][k + 32] = w[k - 1];
  }
}

KERNEL void upwards(int m, double **a, double *w) {
  for (int i = 0; i < 4; i++) {
    for (int j = 1; j < m; j++)
      w[j + 1] = w[j + 1] < a[2 * i + 1][i - j + 33] ? 1.25 : a[j + 1][33 - j];
    // CHECK-DAG: row-guards.c:[[#@LINE+1]]:{{.*}} loops reordered: {{.*}}if a run-time check allows it
    for (int k = 1; k < m; k++)
      a[i][k + 32] = w[k - 1];
  }
}

// The rows are apart, the same, or the other array.
static void test(int m, int between, int same) {
  static double pool[40 * N], w[N];
  double *rows[40];
  for (int i = 0; i < 40; i++)
    rows[i] = pool + (i ^ 1) * between;
  if (same)
    rows[2] = w;
  fill(pool, 40 * N, m);
  fill(w, N, m + 1);
  downwards(m, rows, w);
  upwards(m, rows, w);
  dump("pool", pool, sizeof pool);
  dump("w", w, sizeof w);
}

int main(void) {
  int sizes[] = {-1, 0, 1, 2, 3, 17, 33};
  for (int s = 0; s < 7; s++)
    for (int same = 0; same < 2; same++) {
      test(sizes[s], N, same);
      test(sizes[s], 3, same);
    }
}
