// Programs whose loops become kernels: the emulator computes the host's bits, finds nothing wrong with them in any
// order of threads, and copies what the program touches and not a byte more.

// RUN: %clang -O3 %s -o %t.host
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %t.host > %t.expected
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: %emulator PTX_EMULATOR_ORDER=random=7 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// CHECK-DAG: polyrs: add:0: device (PTX emulator): 1 launches, 7992 bytes in, 3996 bytes out
// CHECK-DAG: polyrs: product:0: device (PTX emulator): 2 launches,
// CHECK-DAG: polyrs: jacobi:0: device (PTX emulator): 10 launches,
// CHECK-DAG: polyrs: triangle:0: device (PTX emulator):
// CHECK-DAG: polyrs: rows:0: device (PTX emulator): 1 launches,
// CHECK-DAG: polyrs: seidel:0: device (PTX emulator):
// CHECK-DAG: polyrs: solve:0: device (PTX emulator):
// CHECK-DAG: polyrs: normed:0: device (PTX emulator):
// CHECK-DAG: polyrs: summed:0: device (PTX emulator):
// CHECK-DAG: polyrs: looked_up:0: device (PTX emulator): 1 launches,
// CHECK-DAG: polyrs: antidiagonal:0: device (PTX emulator): 1 launches,

// With fused operations, which the device computes where the host does; and without contraction.
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.host
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %t.host > %t.expected
// RUN: %emulator %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log

// Blocks of other sizes, with threads that are no power of two.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-sizes=12,5 %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %emulator PTX_EMULATOR_ORDER=backward %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log

// Without a driver, and where anything fails, the host computes the same.
// RUN: %no_driver POLYRS_GPU=auto %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// RUN: %emulator PTX_EMULATOR_FAULT=no-device %t.gpu > %t.out
// RUN: diff %t.expected %t.out
// RUN: %emulator PTX_EMULATOR_FAULT=module %t.gpu > %t.out
// RUN: diff %t.expected %t.out
// RUN: %emulator PTX_EMULATOR_FAULT=alloc=2 %t.gpu > %t.out
// RUN: diff %t.expected %t.out
// RUN: %emulator PTX_EMULATOR_FAULT=to-device=3 %t.gpu > %t.out
// RUN: diff %t.expected %t.out
// RUN: %emulator PTX_EMULATOR_FAULT=launch=4 %t.gpu > %t.out
// RUN: diff %t.expected %t.out
// RUN: %emulator PTX_EMULATOR_FAULT=lost=6 %t.gpu > %t.out
// RUN: diff %t.expected %t.out
// RUN: %emulator PTX_EMULATOR_FAULT=to-host=2 %t.gpu > %t.out
// RUN: diff %t.expected %t.out

#include "Inputs/tell.h"
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) void add(long n, float *a, const float *b) {
  for (long i = 1; i < n; i++)
    a[i] += b[i];
}

__attribute__((noinline)) void product(int n, int m, int k, double a[restrict n][k], double b[restrict k][m], double c[restrict n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      c[i][j] *= 0.5;
      for (int l = 0; l < k; l++)
        c[i][j] += a[i][l] * b[l][j];
    }
}

__attribute__((noinline)) void jacobi(int steps, int n, double a[restrict n][n], double b[restrict n][n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = b[i][j];
  }
}

__attribute__((noinline)) void triangle(int n, double a[restrict n][n], double x[restrict n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      a[i][j] = a[j][i] / x[j];
}

// A guard, and ends of a range that no corner of its box is.
__attribute__((noinline)) void antidiagonal(int n, int a[restrict n][n], int b[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i + j < n && j >= 2)
        a[i][j] = 3 * b[j][i] - (i ^ j);
}

// Local variables in a thread, and a condition on data that decides what is written where all is written anyway.
__attribute__((noinline)) void rows(int n, double a[restrict n][n], double s[restrict n]) {
  for (int i = 0; i < n; i++) {
    double sum = 0, most = a[i][0];
    for (int j = 0; j < n; j++) {
      sum += a[i][j] * 0.25;
      most = a[i][j] > most ? a[i][j] : most;
    }
    s[i] = sum - most;
    if (a[i][i] > 30)
      s[i] = 0;
  }
}

// Wavefronts; and one iteration that some thread has to run, beside many.
__attribute__((noinline)) void seidel(int steps, int n, double a[restrict n][n]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j]) / 5;
}

__attribute__((noinline)) void solve(int n, const double l[restrict n][n], const double b[restrict n], double x[restrict n]) {
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= l[i][j] * x[j];
    x[i] /= l[i][i];
  }
}

// A sum that one thread makes, for all that follow.
__attribute__((noinline)) void normed(int n, double a[restrict n][n], double r[restrict n]) {
  for (int k = 0; k < n; k++) {
    double norm = 0;
    for (int i = 0; i < n; i++)
      norm += a[i][k] * a[i][k];
    r[k] = norm + 1;
    for (int j = k + 1; j < n; j++)
      for (int i = 0; i < n; i++)
        a[i][j] -= a[i][k] / norm;
  }
}

// What leaves the loops in a local variable, made by one thread after others.
__attribute__((noinline)) double summed(int n, double a[restrict n][n], double b[restrict n]) {
  double all = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[j] += a[i][j] * 0.5;
  for (int j = 0; j < n; j++)
    all += b[j] / 3;
  return all;
}

// Data says what is read and written of variables of known size.
static unsigned char which[200];
static int table[256], counted[256];
__attribute__((noinline)) void looked_up(int n, int *restrict a) {
  for (int i = 0; i < n; i++) {
    a[i] = table[which[i]];
    if (which[i] > 100)
      counted[i] = i;
  }
}

static void *filled(long bytes, int seed, int ints) {
  void *all = malloc(bytes);
  for (long i = 0; ints && i < bytes / 4; i++)
    ((int *)all)[i] = (int)(i * 7919 + seed);
  for (long i = 0; !ints && i < bytes / 8; i++)
    ((double *)all)[i] = (double)((i * 7919 + seed) % 1009) / 17.0 + 0.1;
  return all;
}

int main(void) {
  enum { N = 37, M = 41, K = 19 };
  float *f = malloc(4000), *g = malloc(4000);
  for (int i = 0; i < 1000; i++) {
    f[i] = (float)i / 3;
    g[i] = 1.0f / (float)(i + 1);
  }
  add(1000, f, g);
  tell("add", f, 4000);
  add(1, f, g);
  add(0, f, g);
  add(500, f + 400, f + 401);
  tell("overlap", f, 4000);
  double *a = filled(8 * N * K, 1, 0), *b = filled(8 * K * M, 2, 0), *c = filled(8 * N * M, 3, 0);
  product(N, M, K, (void *)a, (void *)b, (void *)c);
  tell("product", c, 8 * N * M);
  double *p = filled(8 * M * M, 4, 0), *q = filled(8 * M * M, 5, 0);
  jacobi(5, M, (void *)p, (void *)q);
  tell("jacobi", p, 8 * M * M);
  triangle(M, (void *)p, q + 3);
  tell("triangle", p, 8 * M * M);
  rows(M, (void *)p, q);
  tell("rows", q, 8 * M);
  seidel(3, M, (void *)p);
  tell("seidel", p, 8 * M * M);
  solve(M, (void *)filled(8 * M * M, 8, 0), p, q);
  tell("solve", q, 8 * M);
  normed(N, (void *)q, p);
  tell("normed", q, 8 * N * N);
  tell("norms", p, 8 * N);
  double all = summed(N, (void *)q, p);
  tell("summed", &all, 8);
  for (int i = 0; i < 256; i++)
    table[i] = i * i;
  for (int i = 0; i < 200; i++)
    which[i] = (unsigned char)(i * 37);
  int found[200];
  looked_up(200, found);
  tell("found", found, sizeof found);
  tell("counted", counted, sizeof counted);
  int *u = filled(4 * N * N, 6, 1), *v = filled(4 * N * N, 7, 1);
  antidiagonal(N, (void *)u, (void *)v);
  tell("antidiagonal", u, 4 * N * N);
  return 0;
}
