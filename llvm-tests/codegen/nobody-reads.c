// What nobody reads is not computed, as without the plugin: memory of a function's own that it only stores to, a
// variable of the module that nothing loads, and what a function fills for a caller that does not look at it.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=polyrs -S -emit-llvm %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#include <stdlib.h>

// REMARK-NOT: [[#@LINE+1]]:{{.*}}loops reordered
// CHECK-LABEL: define {{.*}} @allocated(
// CHECK-NOT: {{ br | call |polyrs}}
// CHECK: ret void
void allocated(int n, const double *A, const double *B) {
  double *C = malloc(sizeof(double) * n * n);
  if (!C)
    return;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += A[i * n + k] * B[k * n + j];
      C[i * n + j] = sum;
    }
  free(C);
}

// CHECK-LABEL: define {{.*}} @stored(
// CHECK-NOT: {{ br | call |polyrs}}
// CHECK: ret void
static double unread[64][64];
void stored(const double *A, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      unread[i][j] = A[i * 64 + j] * 2;
}

// REMARK-NOT: [[#@LINE+1]]:{{.*}}loops reordered
// CHECK-LABEL: define {{.*}} @summed(
// CHECK-NOT: {{ br | call |polyrs}}
// CHECK: ret void
void summed(int n, const double *A, const double *B) {
  double C[100][100];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] = 0;
      for (int k = 0; k < n; k++)
        C[i][j] += A[i * n + k] * B[k * n + j];
    }
}

// The same is computed where somebody reads it.
// REMARK: [[#@LINE+9]]:{{.*}}loops reordered
// CHECK-LABEL: define {{.*}} @products(
// CHECK: polyrs
// CHECK-LABEL: define {{.*}} @ignores(
// CHECK-NOT: {{ br | call |polyrs}}
// CHECK: store double 1.0
// CHECK-NOT: {{ br | call |polyrs}}
// CHECK: ret void
double products(int n, const double *A, const double *B, double *C, int wanted) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      C[i * n + j] = A[i * n + j] * B[i * n + j];
  double sum = 0;
  if (wanted)
    for (int i = 0; i < n * n; i++)
      sum += C[i];
  return sum;
}
void ignores(int n, const double *A, const double *B, double *out) {
  double local[900];
  products(n, A, B, local, 0);
  out[0] = 1;
}

// New code that waits goes as well.
// REMARK: [[#@LINE+9]]:{{.*}}loops reordered: {{.*}}tiled
// CHECK-LABEL: define {{.*}} @transposed(
// CHECK: polyrs
// CHECK-LABEL: define {{.*}} @ignores_transposed(
// CHECK-NOT: {{ br | call |polyrs}}
// CHECK: store double 1.0
// CHECK-NOT: {{ br | call |polyrs}}
// CHECK: ret void
void transposed(int n, const double *A, const double *B, double *C) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      C[i * n + j] = A[i * n + j] * B[j * n + i];
}
void ignores_transposed(int n, const double *A, const double *B, double *out) {
  double local[900];
  transposed(n, A, B, local);
  out[0] = 1;
}

// New code that fills several arrays and nothing else goes once: the condition of its only store is never true.
// CHECK-LABEL: define {{.*}} @several(
// CHECK-NOT: call {{.*}}polyrs
// CHECK: ret void
void several(int n, int m, unsigned *A) {
  for (int i = 0; i < m; i++)
    for (int j = 1; j < (n - 1 < i + 1 ? n - 1 : i + 1); j++) {
      unsigned s = A[2 * i];
      for (int k = j; k < m + 2; k++)
        if (j - m - 2 != 0)
          s += A[k + 2];
      if (j - n == 0)
        A[2 * i] = s;
    }
}
