// Rows behind pointers: apart from each other the new code runs, in every other case the old code. Tables and rows end
// where memory ends: no pointer is read that the program does not read.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report -Rpass=polyrs %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt
// RUN: %clang -O2 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-position=before-vectorizer %s -o %t.late
// RUN: %t.late > %t.late.txt
// RUN: diff %t.old.txt %t.late.txt

// CHECK: {{ }}14 regions transformed

#define _GNU_SOURCE
#include "dump.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define N 40
#define PAGE 4096

KERNEL void product(double **c, double **a, double **b, int n, int m, int p) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < p; k++)
        c[i][j] += a[i][k] * b[k][j];
}

KERNEL void local_sum(double **c, double **a, double **b, int n, int m, int p) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int k = 0; k < p; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

KERNEL void columns(double *s, double **a, int n, int m) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      s[j] += a[i][j];
}

KERNEL void triangle(double **a, int n) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      a[i][j] = a[i][j] * 2 + j;
}

struct Record {
  double *x;
  long length;
  double *y;
};

KERNEL void fields(struct Record *p, int n, int m) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      p[i].y[j] += 2 * p[i].x[j];
}

KERNEL void bytes(char **to, char **from, int n, int m) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      to[i][j] = from[i][j] + 1;
}

// Behind the table's end there is no pointer, and no flag that says to use it.
KERNEL void flagged(double **a, const double *restrict flags, int n, int m, int pointers) {
  for (int i = 0; i < n; i++) {
    double *row = NULL;
    if (i < pointers)
      row = a[i];
    for (int j = 0; j < m; j++)
      if (flags[i * m + j] > 0)
        row[j] += 1;
  }
}

KERNEL void one_element(double **c, const double *restrict x, int n, int at) {
  for (int i = 0; i < n; i++)
    c[at][at] += x[i];
}

// Room that begins behind a page that cannot be read, or ends before one.
static void *room(size_t bytes, int at_end) {
  size_t length = (bytes + PAGE - 1) / PAGE * PAGE;
  char *p = mmap(NULL, length + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p, PAGE, PROT_NONE);
  mprotect(p + PAGE + length, PAGE, PROT_NONE);
  return p + PAGE + (at_end ? length - bytes : 0);
}

enum Layout { UP, DOWN, AROUND, MIXED, OVERLAPPING, SAME, SINGLE, LAYOUTS };

static double **rows(int n, int m, int layout, double *pool, int at_end) {
  double **r = room(n * sizeof *r, at_end);
  int places[] = {[UP] = 1, [DOWN] = -1, [AROUND] = n / 3, [MIXED] = 7};
  for (int i = 0; i < n; i++) {
    switch (layout) {
    case UP: r[i] = pool + i * m; break;
    case DOWN: r[i] = pool + (n - 1 - i) * m; break;
    case AROUND: r[i] = pool + (i + places[AROUND]) % n * m; break;
    case MIXED: r[i] = pool + (i % 2 ? n - 1 - i / 2 : i / 2) * m; break;
    case OVERLAPPING: r[i] = pool + i * (m - 1); break;
    case SAME: r[i] = pool; break;
    default: r[i] = room(m * sizeof(double), at_end);
    }
    fill(r[i], m, i);
  }
  return r;
}

static void show(const char *name, double **r, int n, int m) {
  for (int i = 0; i < n; i++)
    dump(name, r[i], m * sizeof(double));
}

static void kernels(double *pool, double *other, int n, int m, int layout, int at_end) {
  double **a = rows(n, m, layout, pool, at_end), **c = rows(n, n, (layout + 1) % LAYOUTS, other, at_end);
  double **b = rows(m, n, (layout + 2) % LAYOUTS, pool + N * N, at_end);
  product(c, a, b, n, n, m);
  show("product", c, n, n);
  local_sum(c, a, b, n, n, m);
  show("local_sum", c, n, n);
  product(c, c, c, n, n, n);
  local_sum(c, b, a, n < m ? n : m, n < m ? n : m, n);
  show("same", c, n, n);
  product(c, a, b, -1, n, m);
  product(c, a, b, n, n, 0);
  product(c, NULL, NULL, n, 0, m);
  product(NULL, NULL, NULL, 0, n, m);
  double flags[N * N] = {0};
  for (int i = 0; i < n * m / 2; i++)
    flags[i] = i % 3;
  flagged(a, flags, n + 5 < N ? n + 5 : N, m, n);
  one_element(a + n, pool, 0, 3);
  one_element(NULL, NULL, 0, 0);
  if (n > 1 && m > 1)
    one_element(a, flags, N * N, 1);
  columns(other + N * N, a, n, m);
  dump("columns", other + N * N, N * sizeof(double));
  if (n > 0)
    columns(a[n / 2], a, n, m), show("own row", a, n, m);
  triangle(c, n);
  show("triangle", c, n, n);
  struct Record *p = room(n * sizeof *p, at_end);
  for (int i = 0; i < n; i++)
    p[i] = (struct Record){a[i], -1, i == n - 1 && at_end ? a[0] : other + i * m};
  fields(p, n, m);
  show("fields", a, n, m);
  // Pointers that the loops do not use lead nowhere.
  double **none = room((n + 2) * sizeof *none, at_end);
  if (n > 0)
    memcpy(none + 1, c, n * sizeof *none);
  none[0] = NULL;
  none[n + 1] = (double *)1;
  product(none + 1, a, b, n, n, m);
  show("between", c, n, n);
}

// The last row is the table itself, or lies behind it.
static void tables(char *pool, int n, int m) {
  char **to = room(n * sizeof *to + m, 0), **from = room(n * sizeof *from + m, 0);
  for (int i = 0; i < n; i++)
    to[i] = pool + i * m, from[i] = pool + (n + i) * m;
  to[n - 1] = (char *)(to + n);
  bytes(to, from, n, m);
  dump("behind", to + n, m);
  to[n - 1] = (char *)(to + n) - 1;
  from[0] = (char *)from;
  bytes(to, from, n - 1, m);
  dump("pool", pool + m, (n - 2) * m);
}

int main(void) {
  double *pool = room(3 * N * N * sizeof(double), 1), *other = room(3 * N * N * sizeof(double), 0);
  int sizes[][2] = {{0, 0}, {1, 1}, {1, 20}, {2, 17}, {16, 16}, {17, 16}, {20, 31}, {37, 40}, {40, 18}};
  for (int s = 0; s < 9; s++)
    for (int layout = 0; layout < LAYOUTS; layout++)
      for (int at_end = 0; at_end < 2; at_end++)
        kernels(pool, other, sizes[s][0], sizes[s][1], layout, at_end);
  tables((char *)pool, 9, 200);
  tables((char *)pool, 3, 128);
}
