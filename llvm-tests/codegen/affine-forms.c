// Clamped neighbours, rows as long as maxima, products and quotients, steps from the outer counter, increments of
// either sign: new code computes the same.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}10 regions transformed

#include "dump.h"

#define N 30
static double p[4 * N * N], q[4 * N * N];
static int clamp(int v, int hi) { return v < 0 ? 0 : v > hi ? hi : v; }

KERNEL void box(int w, int h, double *o, const double *a) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++)
      for (int d = -1; d <= 1; d++)
        o[y * w + x] += a[clamp(y + d, h - 1) * w + clamp(x - d, w - 1)];
}

KERNEL void scatter(int w, int h, double *o) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++)
      o[(y < h - 2 ? y + 2 : h - 1) * w + x] = o[y * w + x] * 0.5 + y;
}

KERNEL void product(double *o, const double *a, int n, int b) {
  int ld = n * b;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      o[i * ld + j] += a[i * ld + j];
}

KERNEL void maximum(double *o, const double *a, int n0) {
  int n = n0 > 1 ? n0 : 1;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      o[i * n + j] += a[j * n + i];
}

KERNEL void half(int w, int h, double *o, const double *a) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++)
      o[y * w + x] = a[(y / 2) * (w / 2) + x / 2];
}

KERNEL void steps(int n, double *o, const double *a) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j += 3)
      o[j * N + i] += a[i * N + j];
}

KERNEL void steps_down(int n, double *o, const double *a) {
  for (int i = 0; i < n; i++)
    for (int j = n - 1; j >= i; j -= 2)
      o[j * N + i] += a[i * N + j];
}

KERNEL void wrapping(unsigned w, unsigned h, double *o, const double *a) {
  for (unsigned x = 1; x < w - 1; x++)
    for (unsigned y = 1; y < h - 1; y++)
      o[y * w + x] = a[(y - 1) * w + x] + a[(y + 1) * w + x - 1];
}

#define OFFSET(n, inc) ((inc) > 0 ? 0 : ((n)-1) * (-(inc)))
KERNEL void gemv(int m, int n, const double *a, int lda, const double *x, int incx, double *y, int incy) {
  int jy = OFFSET(n, incy);
  for (int j = 0; j < n; j++, jy += incy) {
    int ix = OFFSET(m, incx);
    for (int i = 0; i < m; i++, ix += incx)
      y[jy] += x[ix] * a[lda * i + j];
  }
}

int main(void) {
  fill(p, 4 * N * N, 1);
  fill(q, 4 * N * N, 2);
  for (int n = -1; n < 6; n++) {
    box(N - n, n + 3, p, q), box(n, N, p, q), box(1, n, p, q);
    scatter(n, n + 2, p);
    product(p, q, n, 3), product(p + 100, q + 100, 5, n);
    maximum(p, q, n), maximum(q, p, N - n);
    half(N - n, 7, p, q), half(n, N, p, q);
    steps(n, p, q), steps(N - n, q, p);
    steps_down(n, p, q), steps_down(N - n, q, p);
  }
  wrapping(N, N - 3, p, q), wrapping(2, 9, p, q), wrapping(9, 2, p, q), wrapping(1, 2, p, q);
  for (int n = 0; n < 5; n++)
    for (int inc = -2; inc < 3; inc++)
      gemv(n, 7, p, 9, p + 200, inc ? inc : 5, q, 1), gemv(7, n, p, 9, p + 200, 1, q, inc ? inc : 3);
  dump("p", p, sizeof p);
  dump("q", q, sizeof q);
}
