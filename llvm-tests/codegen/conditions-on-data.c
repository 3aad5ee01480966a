// Conditions on data: what stands behind them is part of the statement, with the branches.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}13 regions transformed

#include "dump.h"

#define N 41
static double A[N][N], B[N][N], C[N][N], S[N];
static int D[N][N];

KERNEL void store(int n, double t) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (A[j][i] > t)
        B[j][i] = A[j][i] * 2.0;
}

KERNEL void two_ways(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (A[j][i] > B[j][i])
        C[j][i] = B[j][i] / A[j][i];
      else
        C[j][i] = 0.0;
    }
}

KERNEL void nested(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (A[j][i] > 3.0) {
        B[j][i] += 1.0;
        if (B[j][i] > 5.0 && C[j][i] < 4.0)
          A[j][i] = B[j][i] / C[j][i];
        else if (i + j < 20)
          C[j][i] = B[j][i];
      }
}

KERNEL void skipped(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (A[j][i] > 3.0)
        continue;
      B[j][i] = 1.0;
      if (C[j][i] > 5.0)
        continue;
      C[j][i] = 2.0 + B[j][i];
    }
}

KERNEL void shortest(int n) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (D[i][k] + D[k][j] < D[i][j])
          D[i][j] = D[i][k] + D[k][j];
}

KERNEL void longest_common(int n) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      if (A[0][i] == A[1][j])
        D[i][j] = D[i - 1][j - 1] + 1;
      else
        D[i][j] = D[i - 1][j] > D[i][j - 1] ? D[i - 1][j] : D[i][j - 1];
}

KERNEL void behind(int n) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++) {
      double x = A[j][i];
      if (x > 2.0)
        x = C[j][i] / x;
      s += x;
      if (s > 9.0)
        S[i] += s, s = 1.0;
    }
    S[i] += s;
  }
}

// Only some elements of S may be read.
KERNEL void not_always(int n, const double *restrict from) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (A[j][i] > 3.0)
        B[j][i] = from[j];
}

KERNEL void overwritten(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[j][i] = 1.0;
      if (A[j][i] > 3.0)
        C[j][i] = 2.0;
      B[j][i] = C[j][i];
    }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 7 + j * 3) % 11;
      B[i][j] = (i * 5 + j) % 13;
      C[i][j] = (i + j * 2) % 7 + 1;
      D[i][j] = (i * 11 + j * 17) % 97 + 1;
    }
  store(N, 4.0);
  dump("store", B, sizeof B);
  two_ways(N);
  dump("two_ways", C, sizeof C);
  nested(N);
  dump("nested", A, sizeof A);
  dump("nested", B, sizeof B);
  dump("nested", C, sizeof C);
  skipped(N);
  dump("skipped", B, sizeof B);
  dump("skipped", C, sizeof C);
  shortest(N);
  for (int i = 0; i < N; i++)
    S[i] = D[i][i] + D[i][(i * 7) % N];
  dump("shortest", S, sizeof S);
  longest_common(N);
  for (int i = 0; i < N; i++)
    S[i] = D[i][N - 1] + D[N - 1][i];
  dump("longest_common", S, sizeof S);
  behind(N);
  dump("behind", S, sizeof S);
  double few[N];
  for (int i = 0; i < N; i++)
    few[i] = i;
  not_always(N, few);
  dump("not_always", B, sizeof B);
  overwritten(N);
  dump("overwritten", B, sizeof B);
}
