// Code behind a test for zero that skips loops, in a region of its own: what was computed where the test lets the loops
// run is not there. The loops around are no region, for an access that must stay where it is.

// RUN: %clang -O3 %s -o %t.old
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable %s -o %t.early
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable \
// RUN:   -mllvm -polyrs-position=before-vectorizer -mllvm -polyrs-report %s -o %t.late 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.early > %t.early.txt
// RUN: %t.late > %t.late.txt
// RUN: diff %t.old.txt %t.early.txt
// RUN: diff %t.old.txt %t.late.txt

// CHECK: {{ }}10 regions transformed

#include <stdio.h>

#define KERNEL __attribute__((noinline))
#define N 40

volatile int Step;

KERNEL void then_more(int n, int m, const double *restrict z, const double *restrict a, double *restrict b, double *restrict c) {
  for (int j = 0; j < m; j++) {
    Step = j;
    if (z[j] != 0.0)
      for (int k = 0; k < n; k++)
        b[k] += z[j] * a[k];
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        c[k * n + i] += a[i];
  }
}

KERNEL void inside_and_behind(int n, int m, const double *restrict z, const double *restrict a, double *restrict b,
                              double *restrict c) {
  for (int j = 0; j < m; j++) {
    if (z[j] != 0.0) {
      Step = j;
      for (int k = 0; k < n; k++)
        b[k] += z[j] * a[k];
      for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
          c[k * n + i] += a[i];
    }
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        c[k * n + i] -= b[i];
  }
}

// The test skips the end of the region as well: what is computed before it is used behind.
static inline __attribute__((always_inline)) void skipping(int n, int m, int w, const double *restrict z, long *restrict b, long *restrict c) {
  for (int j = 1; j < m; j++) {
    for (int i = 0; i < n; i++)
      Step = i;
    b[j + 7] = b[j + 8];
    if (z[j - 1] != 0.0)
      for (int i = 0; i < m; i++)
        b[i + 60] = i;
    for (int i = 0; i < n; i++)
      for (int k = 0; k < m; k++)
        if (c[k * w + (j + 8)] > 5)
          c[i * w + j] = Step;
  }
}

KERNEL void handed_on(int n, int m, int w, const double *restrict z, long *restrict b, long *restrict c) {
  skipping(n, m, w, z, b, c);
}

// The same behind a nest whose blocks are gone.
long First[N][N];
KERNEL void behind_another(int n, int m, int w, const double *restrict z, long *restrict b, long *restrict c) {
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      First[j][i] = First[j][i - 1] + First[j - 1][i] + i;
  skipping(n, m, w, z, b, c);
}

int main(void) {
  static double z[N], a[N], b[N], c[N * N];
  for (int k = 0; k < N; k++) {
    z[k] = k % 3;
    a[k] = k * 0.5;
  }
  then_more(N, N, z, a, b, c);
  inside_and_behind(N - 1, N, z, a, b, c);
  z[0] = 1;
  then_more(N - 3, 1, z, a, b, c);
  for (int k = 0; k < N * N; k++)
    printf("%g %g\n", c[k], b[k % N]);
  static long whole[3 * N], found[N * N + N];
  for (int k = 0; k < 3 * N; k++)
    whole[k] = k % 7;
  for (int k = 0; k < N * N; k++)
    found[k] = k % 11;
  for (int zeros = 0; zeros < 2; zeros++) {
    for (int k = 0; k < N; k++)
      z[k] = zeros ? k % 3 : k + 1;
    handed_on(N / 2, N / 2, N, z, whole, found);
    behind_another(N / 2, N / 2, N, z, whole, found);
  }
  for (int k = 0; k < N * N; k++)
    printf("%ld %ld\n", found[k], whole[k % (3 * N)]);
}
