// Subscripts that are minima and maxima: one access with several pieces, each where it applies.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: scop above:0
// CHECK: read: {{.*}}Arr1[o0 = i1 - 1, o1 = i0] : i1 >= 1; {{.*}}Arr1[o0 = 0, o1 = i0] : i1 <= 0 }
void above(int w, int h, float *restrict o, const float *restrict a) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++)
      o[y * w + x] = a[(y > 0 ? y - 1 : 0) * w + x];
}

#define N 100
double A[N][N], B[N][N];

// CHECK-LABEL: scop below:0
// CHECK: read: {{.*}}Arr{{.}}[o0 = {{.*}}, o1 = i1] : {{.*}}; {{.*}}Arr{{.}}[o0 = {{.*}}, o1 = i1] : {{.*}} }
void below(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < N; j++)
      B[i][j] = A[i + 1 < n ? i + 1 : n - 1][j];
}

// The minimum of a value that was read is none of these.
// CHECK-LABEL: scop looked_up:0
// CHECK: stmt Stmt0
// CHECK: Stmt0[i0] :
void looked_up(const int *restrict at, float *restrict o, const float *restrict a) {
  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++)
      o[y * N + x] = a[(at[y] < 7 ? at[y] : 7) * N + x];
}

// Clamped at both ends, in a loop whose sum is a local variable: the ends do not cross where the loops run.
// CHECK-LABEL: scop both_ends:0
// CHECK: Arr{{.*}}[o0 = 0, o1 = i0]
void both_ends(int w, int h, float *restrict o, const float *restrict a) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++) {
      float sum = 0;
      for (int d = -2; d <= 2; d++)
        sum += a[(y + d < 0 ? 0 : y + d > h - 1 ? h - 1 : y + d) * w + x];
      o[y * w + x] = sum;
    }
}

// These may: any element is read.
// CHECK-LABEL: scop crossing:0
// CHECK: read: {{.*}} -> Arr{{.}}[o0] }
void crossing(int w, int h, int low, int high, float *restrict o, const float *restrict a) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++) {
      float sum = 0;
      for (int d = -2; d <= 2; d++)
        sum += a[(y + d < low ? low : y + d > high ? high : y + d) * w + x];
      o[y * w + x] = sum;
    }
}
