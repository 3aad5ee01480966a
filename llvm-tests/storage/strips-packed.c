// A product that collects a sum and writes it together with what was there: the sums of a strip are in an array, which
// is updated block by block from packed copies. Where rows and columns of an operand are not known to be apart from
// what is written, a test says so.

// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -gline-tables-only -Rpass=polyrs %s -o %t.new 2>&1 \
// RUN:   | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-verify-ast \
// RUN:   -mllvm -polyrs-process-unprofitable %s -o %t.forced
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: %t.forced > %t.forced.txt
// RUN: diff %t.old.txt %t.new.txt
// RUN: diff %t.old.txt %t.forced.txt

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline))

KERNEL void scaled(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb, double beta, double *c,
                   int ldc) {
  // CHECK-DAG: strips-packed.c:[[#@LINE+1]]:{{.*}} loops reordered: {{.*}}scalars in arrays for strips of {{.*}}packed for
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int l = 0; l < k; l++)
        sum += a[l + i * lda] * b[l + j * ldb];
      c[i + j * ldc] = alpha * sum + beta * c[i + j * ldc];
    }
}

KERNEL void chosen(int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c,
                   int ldc) {
  // CHECK-DAG: strips-packed.c:[[#@LINE+1]]:{{.*}} loops reordered: {{.*}}scalars in arrays for strips of {{.*}}packed for
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int l = 0; l < k; l++)
        sum += a[i * lda + l] * b[l * ldb + j];
      c[i * ldc + j] = beta == 0 ? alpha * sum : alpha * sum + beta * c[i * ldc + j];
    }
}

static unsigned long long hash(const void *of, size_t bytes) {
  unsigned long long h = 14695981039346656037u;
  for (size_t k = 0; k < bytes; k++)
    h = (h ^ ((const unsigned char *)of)[k]) * 1099511628211u;
  return h;
}

int main(void) {
  enum { N = 320 };
  static double a[N * N], b[N * N], c[N * N];
  static float x[N * N], y[N * N], z[N * N];
  for (int k = 0; k < N * N; k++) {
    a[k] = x[k] = (float)(k * 7919 % 1000) / 7 - 50;
    b[k] = y[k] = (float)(k * 10473 % 1000) / 3 - 60;
  }
  int sizes[][3] = {{1, 1, 1}, {31, 129, 64}, {33, 127, 257}, {300, 310, 0}, {0, 5, 5}, {300, 290, 311}};
  for (int t = 0; t < 6; t++) {
    int m = sizes[t][0], n = sizes[t][1], k = sizes[t][2];
    scaled(m, n, k, 1.5, a, N, b, N, t % 2 ? 0.5 : 0.0, c, N);
    chosen(m, n, k, 1.5f, x, N, y, N, t % 2 ? 0.0f : 0.5f, z, N);
    // What is written lies among what is read.
    scaled(m / 4, n / 4, k / 4, 0.001, a, N, b, N, 0.5, a + 40, N);
    printf("%016llx %016llx %016llx\n", hash(c, sizeof c), hash(z, sizeof z), hash(a, sizeof a));
  }
}
