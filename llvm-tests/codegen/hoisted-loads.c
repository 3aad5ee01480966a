// Sizes and pointers that are read in the loops: new code computes the same, and reads nothing that the old code does
// not read.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}7 regions transformed

#include "dump.h"
#include <stddef.h>

#define N 30
static double pool[4 * N * N];

typedef struct {
  int rows, cols;
  double *data;
} Matrix;

KERNEL void product(Matrix *c, const Matrix *a, const Matrix *b) {
  for (int i = 0; i < c->rows; i++)
    for (int j = 0; j < c->cols; j++)
      for (int k = 0; k < a->cols; k++)
        c->data[i * c->cols + j] += a->data[i * a->cols + k] * b->data[k * b->cols + j];
}

struct Sym {
  long n;
  double **a;
};

KERNEL void upper(struct Sym *m) {
  for (long i = 0; i < m->n; i++)
    for (long j = i + 1; j < m->n; j++)
      (*m->a)[j * m->n + i] += (*m->a)[i];
}

KERNEL void lower(struct Sym *m) {
  for (long i = 0; i < m->n; i++)
    for (long j = 0; j < i; j++)
      (*m->a)[j * m->n + i] *= 0.5;
}

KERNEL void guarded(int n, int from, int to, Matrix *m) {
  for (int i = 0; i < n; i++)
    if (from < to)
      for (int j = 0; j < n; j++)
        m->data[i * m->cols + j] += 1;
}

KERNEL void after_inner(int n, int k, Matrix *m, double *x) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < k; j++)
      x[j] += i;
    for (int j = 0; j < n; j++)
      m->data[j * m->cols + i] += x[j];
  }
}

int bound;
KERNEL void global(double *x) {
  for (int i = 0; i < bound; i++)
    for (int j = 0; j < bound; j++)
      x[j * N + i] += x[j * N + i + 1];
}

int main(void) {
  fill(pool, 4 * N * N, 1);
  Matrix a = {N, N - 3, pool}, b = {N - 3, N - 5, pool + N * N}, c = {N, N - 5, pool + 2 * N * N}, none = {0, 0, NULL};
  Matrix no_columns = {3, 0, NULL};
  product(&c, &a, &b);
  product(&none, NULL, NULL);
  product(&no_columns, NULL, NULL);
  product(&c, &none, NULL);
  product(&c, &c, &b);
  double *data = pool;
  struct Sym m = {N, &data}, one = {1, NULL}, nothing = {-3, NULL};
  upper(&m), upper(&one), upper(&nothing);
  lower(&m), lower(&one), lower(&nothing);
  guarded(N - 4, 0, 1, &a);
  guarded(N, 1, 0, NULL);
  guarded(0, 0, 1, NULL);
  after_inner(N - 3, 7, &a, pool + N * N);
  after_inner(0, 7, NULL, NULL);
  global(pool);
  bound = N - 2;
  global(pool);
  global(pool + N * N + 5);
  dump("pool", pool, sizeof pool);
}
