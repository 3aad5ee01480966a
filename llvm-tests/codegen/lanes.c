// Rows of arrays as lanes of vectors: iterations of the loop around run side by side, as many iterations of the loop
// along the rows at a time, and rows and columns of such a block change places in registers. Results keep their bits,
// whatever the sizes.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -gline-tables-only -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -pass-remarks-missed=polyrs -polyrs-fatal-bugs -polyrs-verify-ast -S %t.ll -o %t.new.ll \
// RUN:   2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=CODE < %t.new.ll
// RUN: %clang -O3 -DMAIN -march=x86-64-v3 -ffp-contract=off %s -o %t.old
// RUN: %clang -O3 -DMAIN -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.new
// RUN: %clang -O3 -DMAIN -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-min-gain=0 %s \
// RUN:   -o %t.any
// RUN: %clang -O3 -DMAIN -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-min-gain=0 %s -o %t.small
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: %t.any > %t.any.txt
// RUN: %t.small > %t.small.txt
// RUN: diff %t.old.txt %t.new.txt
// RUN: diff %t.old.txt %t.any.txt
// RUN: diff %t.old.txt %t.small.txt

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FN __attribute__((noinline)) void

// Loads along rows, stores along columns.
// CHECK-DAG: lanes.c:[[#@LINE+7]]:{{[0-9]+}}: loops reordered: {{.*}}rows in 4 lanes
// CODE-LABEL: define {{.*}}@transpose(
// CODE: polyrs.lanes{{[0-9]*}}:
// CODE-COUNT-4: load <4 x double>
// CODE-COUNT-8: shufflevector <4 x double>
// CODE-COUNT-4: store <4 x double>
FN transpose(int n, int m, double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[j * (long)n + i] = a[i * (long)m + j];
}

// Each row is a chain of results: what an iteration reads of the one before stays in a register.
// CHECK-DAG: lanes.c:[[#@LINE+5]]:{{[0-9]+}}: loops reordered: {{.*}}rows in 8 lanes
// CODE-LABEL: define {{.*}}@filter(
// CODE: polyrs.lanes{{[0-9]*}}:
// CODE-COUNT-8: store <8 x float>
FN filter(int n, int m, float *restrict x, float *restrict y, float a) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++)
      y[i * (long)m + j] = a * y[i * (long)m + j - 1] + x[i * (long)m + j];
}

// The same in a local variable, of which each row gets one; no more is asked of sizes for it.
// CHECK-DAG: lanes.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}scalars in arrays for strips of {{[0-9]+}}{{.*}}rows in 8 lanes, if a run-time check
FN local(int n, int m, float *restrict x, float *restrict y, float a) {
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int j = 0; j < m; j++) {
      s = a * s + x[i * (long)m + j];
      y[i * (long)m + j] = s;
    }
  }
}

// Backwards, with two results before.
// CHECK-DAG: lanes.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}rows in 8 lanes
FN backwards(int n, int m, float *restrict x, float *restrict y, float a, float b) {
  for (int i = 0; i < n; i++) {
    float last = 0, older = 0;
    for (int j = m - 1; j >= 0; j--) {
      float now = x[i * (long)m + j] + a * last - b * older;
      older = last;
      last = now;
      y[i * (long)m + j] = now;
    }
  }
}

// Sums of rows, a value for each row, and a division.
FN solve(int n, int m, double *restrict x, double *restrict d, double *restrict s, double *restrict w) {
  for (int i = 0; i < n; i++)
    for (int j = 2; j < m; j++) {
      x[i * (long)m + j] = (x[i * (long)m + j] - w[j] * x[i * (long)m + j - 2] * s[i]) / d[j];
      s[i] += x[i * (long)m + j - 1];
    }
}

// Calls of one operand and of two, on data of both signs.
// CODE-LABEL: define {{.*}}@calls(
// CODE: call <4 x double> @llvm.fabs.v4f64
// CODE: call <4 x double> @llvm.sqrt.v4f64
FN calls(int n, int m, double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++)
      y[i * (long)m + j] = 0.5 * y[i * (long)m + j - 1] + fabs(x[i * (long)m + j]) - __builtin_elementwise_sqrt(fabs(x[i * (long)m + j]));
}

FN largest(int n, int m, int *restrict u, int *restrict v) {
  for (int i = 0; i < n; i++) {
    int s = v[i];
    for (int j = 0; j < m; j++)
      s = s < u[i * (long)m + j] ? u[i * (long)m + j] : s;
    v[i] = s;
  }
}

// Integers, read ahead of what is written.
FN integers(int n, int m, int *restrict a, int *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m - 1; j++)
      a[i * (long)m + j] = a[i * (long)m + j + 1] * 3 + c[j * (long)n + i];
}

// A number that is made of a counter around the loops that are rewritten: all rows share it.
// CODE-LABEL: define {{.*}}@counted_outside(
// CODE: store <4 x double>
FN counted_outside(int n, int m, double *restrict a, double *restrict d) {
  for (int t = 0; t < 9; t += 3) {
    __asm__ volatile("" : "+m"(a[t]));
    for (int i = 0; i < n; i++)
      for (int j = 1; j < m; j++)
        d[i * (long)m + j] = 0.5 * d[i * (long)m + j - 1] + (a[i * (long)m + j] - (7.0 + t));
  }
}

// What one row writes the next one reads: no lanes.
// CODE-LABEL: define {{.*}}@from_row_to_row(
// CODE-NOT: polyrs.lanes
FN from_row_to_row(int n, int m, double *restrict a, double *restrict b) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < m; j++)
      a[i * (long)m + j] = a[i * (long)m + j - 1] * 0.5 + a[(i - 1) * (long)m + j] + b[j * (long)n + i];
}

// Rows that are one array with a short distance, so that they overlap: no lanes.
// CODE-LABEL: define {{.*}}@overlapping(
// CODE-NOT: polyrs.lanes
// CODE: ret void
FN overlapping(int n, int m, double *restrict a) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++)
      a[3 * i + j] = a[3 * i + j - 1] * 0.5 + j;
}

#ifdef MAIN
static void *fresh(long count, int bytes) {
  void *p = malloc(count * bytes);
  for (long k = 0; k < count; k++)
    if (bytes == 8)
      ((double *)p)[k] = (k * 7 + 3) % 101 / 101.0 + 0.25;
    else
      ((float *)p)[k] = (k * 5 + 1) % 97 / 97.0f + 0.25f;
  return p;
}

static void show(const char *name, int n, int m, const void *p, long bytes) {
  unsigned long hash = 1469598103934665603ul;
  for (long k = 0; k < bytes; k++)
    hash = (hash ^ ((const unsigned char *)p)[k]) * 1099511628211ul;
  printf("%s %d %d %lx\n", name, n, m, hash);
}

static void both(int n, int m) {
  long all = (long)n * m + 3 * n + m + 8;
  double *a = fresh(all, 8), *b = fresh(all, 8), *d = fresh(all, 8), *s = fresh(all, 8);
  float *x = fresh(all, 4), *y = fresh(all, 4);
  int *u = malloc(all * 4), *v = malloc(all * 4);
  for (long k = 0; k < all; k++)
    u[k] = k * 2654435761u, v[k] = k * 40503u;
  transpose(n, m, a, b), show("transpose", n, m, b, all * 8);
  filter(n, m, x, y, 0.75f), show("filter", n, m, y, all * 4);
  local(n, m, x, y, 0.5f), show("local", n, m, y, all * 4);
  backwards(n, m, x, y, 0.5f, 0.25f), show("backwards", n, m, y, all * 4);
  solve(n, m, a, d, s, b), show("solve", n, m, a, all * 8), show("solve", n, m, s, all * 8);
  for (long k = 0; k < all; k++)
    a[k] = (k * 11 % 29 - 14) / 8.0, d[k] = (k % 13 - 6) / 4.0;
  calls(n, m, a, d), show("calls", n, m, d, all * 8);
  largest(n, m, u, v), show("largest", n, m, v, all * 4);
  integers(n, m, u, v), show("integers", n, m, u, all * 4);
  counted_outside(n, m, a, d), show("counted_outside", n, m, d, all * 8);
  from_row_to_row(n, m, a, b), show("from_row_to_row", n, m, a, all * 8);
  overlapping(n, m, a), show("overlapping", n, m, a, all * 8);
  free(a), free(b), free(d), free(s), free(x), free(y), free(u), free(v);
}

int main(void) {
  for (int n = 0; n < 40; n += 3)
    for (int m = 0; m < 40; m++)
      both(n, m);
  both(257, 131), both(64, 1000), both(999, 64), both(130, 130);
}
#endif
