// Subscripts that are data: the access may touch any element of the array, or of a table those that its index type can
// name.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -Rpass=polyrs %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include "dump.h"

#define N 41
static double A[N][N], B[N][N], C[N][N];
static int at[N], count[256];
static unsigned char image[N][N], out[N][N], table[256];

// Whether out and table overlap is tested.
// CHECK: indirect.c:[[#@LINE+2]]:{{.*}}loops reordered: {{.*}}if a run-time check allows it
KERNEL void translated(unsigned char *o, const unsigned char *i, const unsigned char *t, int n) {
  for (int x = 0; x < n; x++)
    for (int y = 0; y < n; y++)
      o[y * N + x] = t[i[y * N + x]];
}

// Each step may update the element of the one before.
// CHECK: indirect.c:[[#@LINE+2]]:{{.*}}loops reordered: same order
KERNEL void counted(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      count[image[i][j]]++;
}

// CHECK: indirect.c:[[#@LINE+2]]:{{.*}}loops reordered: {{.*}}interchanged
KERNEL void gathered(int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      C[i][j] += A[at[i]][j];
}

// The writes to A keep their order, those to C need not.
// CHECK: indirect.c:[[#@LINE+2]]:{{.*}}loops reordered: distributed
KERNEL void scattered(int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      A[at[i]][j] += B[i][j];
      C[i][j] = B[i][j] * 2.0;
    }
}

// What is written may be read by the next step, under a condition.
// CHECK: indirect.c:[[#@LINE+2]]:{{.*}}loops reordered: same order
KERNEL void chained(int n) {
  for (int j = 1; j < n; j++)
    for (int i = 0; i < n; i++)
      if (A[i][j] < B[at[i]][j - 1])
        A[at[i]][at[j]] = A[at[j]][i] + 1.0;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    at[i] = (i * 7 + 3) % N;
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 7 + j * 3) % 11;
      B[i][j] = (i * 5 + j) % 13;
      image[i][j] = i * j + i;
    }
  }
  for (int i = 0; i < 256; i++)
    table[i] = i * 5 + 1;
  translated(&out[0][0], &image[0][0], table, N);
  dump("translated", out, sizeof out);
  translated(&out[0][0], &out[0][0], table, N);
  dump("onto itself", out, sizeof out);
  translated(table, &image[0][0], table, 6);
  dump("onto its table", table, sizeof table);
  counted(N);
  dump("counted", count, sizeof count);
  gathered(N);
  dump("gathered", C, sizeof C);
  scattered(N);
  dump("scattered", A, sizeof A);
  dump("scattered", C, sizeof C);
  chained(N);
  dump("chained", A, sizeof A);
}
