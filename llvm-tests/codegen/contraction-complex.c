// The real and the imaginary part of a complex product read the same elements, and share loops for that unless both are
// faster from packed copies: sums in a struct, of a product and of a covariance with its conjugate.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=polyrs -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.packed
// RUN: %t.packed | diff %t.expected -

#include <stdio.h>

typedef struct {
  double re, im;
} complex_t;

// CHECK: complex.c:[[#@LINE+3]]:{{.*}} loops reordered: distributed, packed for
__attribute__((noinline)) void product(long n, const complex_t *restrict x, const complex_t *restrict y,
                                       complex_t *restrict r) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      complex_t s = {0, 0};
      for (long k = 0; k < n; k++) {
        complex_t a = x[i * n + k], b = y[k * n + j];
        s.re += a.re * b.re - a.im * b.im;
        s.im += a.im * b.re + a.re * b.im;
      }
      r[i * n + j] = s;
    }
}

// CHECK: complex.c:[[#@LINE+2]]:{{.*}} loops reordered: distributed, packed for
__attribute__((noinline)) void covariance(long n, long m, const complex_t *x, complex_t *r) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++) {
      complex_t s = {0, 0};
      for (long k = 0; k < m; k++) {
        complex_t a = x[k * n + i], b = x[k * n + j];
        s.re += a.re * b.re + a.im * b.im;
        s.im += a.im * b.re - a.re * b.im;
      }
      s.re /= m;
      s.im /= m;
      r[i * n + j] = s;
      r[j * n + i].re = s.re;
      r[j * n + i].im = -s.im;
    }
}

static complex_t x[90 * 100], y[100 * 100], r[100 * 100];

static void print(long n) {
  double re = 0, im = 0;
  for (long i = 0; i < n * n; i++) {
    re = re * 0.5 + r[i].re;
    im = im * 0.5 + r[i].im;
  }
  printf("%a %a\n", re, im);
}

int main(void) {
  for (int i = 0; i < 90 * 100; i++) {
    x[i].re = (i * 13 + i / 7) % 101 - 50;
    x[i].im = 1.0 / (1 + i % 17);
  }
  for (int i = 0; i < 100 * 100; i++) {
    y[i].re = (i * 17 + i / 5) % 89 - 40;
    y[i].im = 1.0 / (1 + i % 13);
  }
  const long sizes[] = {1, 7, 30, 64, 90};
  for (int k = 0; k < 5; k++) {
    product(sizes[k], x, y, r);
    print(sizes[k]);
    covariance(sizes[k], 90, x, r);
    print(sizes[k]);
  }
}
