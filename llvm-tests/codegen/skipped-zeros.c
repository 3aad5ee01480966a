// Products that skip columns for a zero run like others where there is none: all that is tested is looked at before.
// Where there is a zero, what it would be multiplied with is not touched, be it no number; and where arrays overlap,
// the loops may make zeros.

// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off %s -o %t.old
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -gline-tables-only \
// RUN:   -Rpass=polyrs %s -o %t.new 2>&1 | FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-verify-ast \
// RUN:   -mllvm -polyrs-process-unprofitable %s -o %t.forced
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: %t.forced > %t.forced.txt
// RUN: diff %t.old.txt %t.new.txt
// RUN: diff %t.old.txt %t.forced.txt

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline))

// As in the reference of BLAS.
KERNEL void columns(int m, int n, int k, double alpha, const double *a, const double *b, double *c) {
  // CHECK-DAG: skipped-zeros.c:[[#@LINE+1]]:{{.*}} loops reordered: {{.*}}packed for
  for (int j = 0; j < n; j++)
    for (int l = 0; l < k; l++) {
      double t = alpha * b[l + j * k];
      if (t != 0.0)
        for (int i = 0; i < m; i++)
          c[i + j * m] += t * a[i + l * m];
    }
}

// As in that of GSL: rows are tested, one after the other.
KERNEL void rows(int n1, int n2, int n3, float alpha, const float *f, int ldf, const float *g, int ldg, float *c, int ldc) {
  // CHECK-DAG: skipped-zeros.c:[[#@LINE+1]]:{{.*}} loops reordered: {{.*}}packed for
  for (int k = 0; k < n3; k++)
    for (int i = 0; i < n1; i++) {
      const float temp = alpha * f[ldf * i + k];
      if (temp != 0.0)
        for (int j = 0; j < n2; j++)
          c[ldc * i + j] += temp * g[ldg * k + j];
    }
}

// The lower half, of one array.
KERNEL void lower(int n, int k, double alpha, const double *a, double *c) {
  for (int j = 0; j < n; j++)
    for (int l = 0; l < k; l++)
      if (a[j + l * n] != 0.0) {
        double t = alpha * a[j + l * n];
        for (int i = j; i < n; i++)
          c[i + j * n] += t * a[i + l * n];
      }
}

// A product with a vector: the test is as long as a row.
KERNEL void vector(int m, int n, const double *a, const double *x, double *y) {
  for (int j = 0; j < n; j++)
    if (x[j] != 0.0)
      for (int i = 0; i < m; i++)
        y[i] += x[j] * a[i + j * m];
}

static double at(int k) { return (k * 37 % 101) / 16.0 + 0.0625; }

static void print(const char *name, const void *data, size_t bytes) {
  unsigned long hash = 5381;
  for (size_t k = 0; k < bytes; k++)
    hash = hash * 33 + ((const unsigned char *)data)[k];
  printf("%s %016lx\n", name, hash);
}

static void fill(double *p, float *q, int count) {
  for (int k = 0; k < count; k++) {
    p[k] = at(k);
    q[k] = (float)at(k + 5);
  }
}

int main(void) {
  enum { Most = 130 * 130 };
  static const int sizes[] = {-3, 0, 1, 2, 31, 60, 97, 128};
  double *a = malloc(3 * Most * sizeof *a), *b = a + Most, *c = b + Most;
  float *f = malloc(3 * Most * sizeof *f), *g = f + Most, *h = g + Most;
  for (int s = 0; s < 8; s++)
    for (int zeros = 0; zeros < 4; zeros++) {
      int n = sizes[s], m = n > 2 ? n - 1 : n, k = n > 3 ? n - 3 : n;
      fill(a, f, 3 * Most);
      for (int i = 0; i < Most; i += 7)
        c[i] = -0.0, h[i] = -0.0f;
      // No zero; one, the last; one per column, and what it meets is no number; none but zeros, two kinds of.
      for (int i = 0; zeros && n > 2 && i < n; i++) {
        int last = i == n - 1;
        if (zeros == 1 && last)
          b[k * n - 1] = 0.0, f[(n - 1) * 130 + k - 1] = -0.0f;
        for (int l = 0; zeros == 3 && l < k; l++)
          b[l + i * k] = -0.0, f[i * 130 + l] = 0.0f;
        if (zeros == 2)
          b[3 + i * k] = 0.0, f[i * 130 + 3] = 0.0f;
      }
      for (int i = 0; zeros >= 2 && n > 2 && i < 130; i++)
        a[i + 3 * m] = i % 2 ? NAN : INFINITY, g[3 * 130 + i] = INFINITY;
      columns(m, n, k, 1.5, a, b, c);
      rows(n, m, k, 0.75f, f, 130, g, 130, h, 130);
      print("columns", c, Most * sizeof *c);
      print("rows", h, Most * sizeof *h);
      lower(n, k, 2.0, b, c);
      print("lower", c, Most * sizeof *c);
      vector(m, n, a, b, c);
      print("vector", c, Most * sizeof *c);
      // What is tested is written by the loops.
      fill(a, f, 3 * Most);
      for (int i = 0; n > 2 && i < n; i++)
        a[i] = i % 2 ? 0.0 : 0.5;
      columns(m, n, k, -1.0, b, a, a + 3);
      print("overlap", a, Most * sizeof *a);
    }
  // What would be multiplied by zeros is not read where all are.
  memset(b, 0, Most * sizeof *b);
  columns(100, 100, 100, 1.0, NULL, b, c);
  print("nothing", c, Most * sizeof *c);
  free(a);
  free(f);
}
