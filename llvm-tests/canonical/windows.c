// Short loops of constant length that only make one value of several are unrolled within two loops or more: the windows
// of filters, the coordinates of points, subscripts. What is rewritten then prints what it did.

// RUN: %clang -O2 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<polyrs-scops>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %clang -O3 -DMAIN %s -o %t.old && %t.old > %t.expected
// RUN: %clang -O3 -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs %s -o %t.new \
// RUN:   && %t.new | diff - %t.expected

#include <stdio.h>
#include <string.h>

#define FN __attribute__((noinline)) void

// Weights that are known: where they are zero nothing is read.
static const int Across[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
// CHECK-LABEL: scop edges:0
// CHECK: stmt Stmt0
// CHECK-NEXT: domain: {{.*}} Stmt0[i0, i1] : 1 <= i0 <= p0 - 2 and 1 <= i1 <= p1 - 2 }
// CHECK-COUNT-6: read:
// CHECK-NOT: read:
// CHECK: must_write
// CHECK-NOT: stmt
FN edges(const unsigned char *restrict in, unsigned char *restrict out, int w, int h) {
  for (int x = 1; x < w - 1; x++)
    for (int y = 1; y < h - 1; y++) {
      int sum = 0;
      for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
          sum += Across[i + 1][j + 1] * in[(y + i) * w + x + j];
      out[y * w + x] = (unsigned char)sum;
    }
}

// A subscript that a loop computes from a structure.
typedef struct {
  double *data;
  long size[2], stride[2];
} View;
static double *at(const View *v, long i, long j) {
  long index[2] = {i, j}, sum = 0;
  for (int d = 0; d < 2; d++)
    sum += index[d] * v->stride[d];
  return v->data + sum;
}
// CHECK-LABEL: scop views:0
// CHECK: stmt Stmt0
// CHECK: domain: {{.*}} Stmt0[i0, i1]
// CHECK: must_write: {{.*}}[o0 = i{{.}}, o1 = i{{.}}] }
FN views(View *restrict o, const View *restrict a) {
  for (long j = 0; j < o->size[1]; j++)
    for (long i = 0; i < o->size[0]; i++)
      *at(o, i, j) = *at(a, i, j) * 2;
}

// A loop around alone, a long one, one with a clamp, one that stores, and one of which the source asks something stay.
// CHECK-LABEL: scop line:0
// CHECK: domain: {{.*}} Stmt{{.}}[i0, i1] :
FN line(const float *restrict in, float *restrict out, int n) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int d = 0; d < 4; d++)
      sum += in[i + d];
    out[i] = sum;
  }
}
// CHECK-LABEL: scop wide:0
// CHECK: domain: {{.*}} Stmt{{.}}[i0, i1, i2] :
FN wide(const float *restrict in, float *restrict out, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int d = 0; d < 8; d++)
        sum += in[(i + d) * n + j];
      out[i * n + j] = sum;
    }
}
// CHECK-LABEL: scop clamped:0
// CHECK: domain: {{.*}} Stmt{{.}}[i0, i1, i2] :
FN clamped(const float *restrict in, float *restrict out, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int d = 0; d < 3; d++)
        sum += in[i * n + (j + d < n ? j + d : n - 1)];
      out[i * n + j] = sum;
    }
}
// A window that is kept in an array, and what is made of its rows in another one: nothing is left of both.
// CHECK-LABEL: scop kept:0
// CHECK: stmt Stmt0
// CHECK-NEXT: domain: {{.*}} Stmt0[i0, i1] :
// CHECK-COUNT-9: read:
// CHECK-NOT: read:
// CHECK: must_write
// CHECK-NOT: stmt
FN kept(const float *restrict in, float *restrict out, int n) {
  for (int i = 0; i < n - 2; i++)
    for (int j = 0; j < n - 2; j++) {
      double window[3][3], rows[3] = {0};
      for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++)
          window[y][x] = in[(i + y) * n + j + x];
      for (int y = 0; y < 3; y++)
        rows[y] += window[y][0] - 2 * window[y][1] + window[2 - y][2];
      out[i * n + j] = rows[0] * rows[1] + rows[2];
    }
}
// An array of which data says what is read stays one, and its loop.
// CHECK-LABEL: scop found:0
// CHECK: domain: {{.*}} Stmt{{.}}[i0, i1, i2] :
FN found(const float *restrict in, float *restrict out, const unsigned char *restrict at, int n) {
  for (int i = 0; i < n - 2; i++)
    for (int j = 0; j < n - 2; j++) {
      float window[4];
      for (int y = 0; y < 3; y++)
        window[y] = in[(i + y) * n + j];
      out[i * n + j] = window[at[i * n + j] % 3];
    }
}
// So does one that is filled at once and read in a loop that is no window.
// CHECK-LABEL: scop read_on:0
// CHECK: domain: {{.*}} Stmt{{.}}[i0, i1, i2] :
FN read_on(const float *restrict in, float *restrict out, int n) {
  for (int i = 0; i < n - 2; i++)
    for (int j = 0; j < n - 2; j++) {
      float window[9];
      for (int y = 0; y < 3; y++)
        window[y] = in[(i + y) * n + j];
      for (int y = 0; y < 3; y++)
        out[i * n + (j + y < n ? j + y : 0)] = window[y];
    }
}
// CHECK-LABEL: scop channels:0
// CHECK: domain: {{.*}} Stmt{{.}}[i0, i1, i2] :
FN channels(const float *restrict in, float *restrict out, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int c = 0; c < 3; c++)
        out[(i * n + j) * 3 + c] = in[(i * n + j) * 3 + c] * 2;
}
// CHECK-LABEL: scop asked:0
// CHECK: domain: {{.*}} Stmt{{.}}[i0, i1, i2] :
FN asked(const float *restrict in, float *restrict out, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
#pragma nounroll
      for (int d = 0; d < 3; d++)
        sum += in[(i + d) * n + j];
      out[i * n + j] = sum;
    }
}

#ifdef MAIN
static unsigned char bytes[70 * 70], edged[70 * 70];
static float from[70 * 70 * 3], to[70 * 70 * 3];
static double a[50 * 60], b[50 * 60];
static void show(const void *p, size_t n) {
  unsigned long hash = 1;
  for (size_t k = 0; k < n; k++)
    hash = hash * 31 + ((const unsigned char *)p)[k];
  printf("%lx\n", hash);
}
int main(void) {
  for (int k = 0; k < 70 * 70 * 3; k++)
    from[k] = k * 13 % 101 / 7.0f;
  for (int k = 0; k < 70 * 70; k++)
    bytes[k] = k * 7 % 251;
  for (int k = 0; k < 50 * 60; k++)
    a[k] = k % 91 / 3.0;
  for (int w = 0; w <= 70; w += 35)
    for (int h = 1; h <= 70; h += 23)
      edges(bytes, edged, w, h), show(edged, sizeof edged);
  View from_view = {a, {50, 60}, {60, 1}}, to_view = {b, {50, 60}, {60, 1}}, turned = {b, {50, 60}, {1, 50}};
  views(&to_view, &from_view), show(b, sizeof b);
  views(&turned, &from_view), show(b, sizeof b);
  for (int n = 0; n <= 60; n += 15) {
    line(from, to, n), show(to, sizeof to);
    wide(from, to, n), show(to, sizeof to);
    clamped(from, to, n), show(to, sizeof to);
    kept(from, to, n), show(to, sizeof to);
    found(from, to, bytes, n), show(to, sizeof to);
    read_on(from, to, n), show(to, sizeof to);
    channels(from, to, n), show(to, sizeof to);
    asked(from, to, n), show(to, sizeof to);
  }
  return 0;
}
#endif
