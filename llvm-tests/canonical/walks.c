// Pointers and counters that walk through inner loops are counters of the outer ones: what an inner loop adds is added
// at once. Where an inner loop adds something else in each iteration it stays as it is.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<polyrs-scops>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='polyrs<fatal-bugs;process-unprofitable>,verify' -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: scop pointer:0
// CHECK: must_write: {{.*}}[i0, i1] -> Arr0[o0 = i0, o1 = i1]
void pointer(int n, double *restrict c, const double *restrict a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      *c++ = a[j * n + i];
}

// CHECK-LABEL: scop counter:0
// CHECK: must_write: {{.*}}[i0, i1] -> Arr0[o0 = i0, o1 = i1]
void counter(int n, int m, double *restrict c, const double *restrict a) {
  int k = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[k++] = a[j * n + i];
}

// Where the two bounds are different ones of a narrower type than addresses: how far the inner loop moves the pointer
// is no choice between two numbers.
// CHECK-LABEL: scop rows:0
// CHECK: read: {{.*}}[i0, i1] -> Arr{{[0-9]}}[o0 = i0, o1 = i1]
double rows(int n, int m, const double *restrict a, double *restrict y) {
  double all = 0;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++)
      s += *a++;
    y[i] = s;
    all += s;
  }
  return all;
}

// CHECK-LABEL: scop without_sign:0
// CHECK: must_write: {{.*}}[i0, i1] -> Arr{{[0-9]}}[o0 = i0, o1 = i1]
void without_sign(unsigned n, unsigned m, double *restrict c, const double *restrict a) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++)
      *c++ = a[i + j] + i;
}

// REMARK: not optimized: the pointer accessed here changes inside the loops
// CHECK-LABEL: scop triangle:0
// CHECK-NOT: [i0, i1]
void triangle(int n, double *restrict c, const double *restrict a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      *c++ = a[j * n + i];
}

// Rows of an image with elements between them, and of the width that is told: from where the inner loop ends, the
// pointer goes on to the next row.
// CHECK-LABEL: scop padded:0
// CHECK: array Arr0 memory f64 [*, p{{[0-9]}} + p{{[0-9]}}]
// CHECK: must_write: {{.*}}[i0, i1] -> Arr0[o0 = i0, o1 = i1]
void padded(int n, int m, long more, double *restrict c, const double *restrict a) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      *c++ = a[i + j];
    c += more;
  }
}

// CHECK-LABEL: scop window:0
// CHECK: array Arr0 memory f64 [*, p{{[0-9]}}]
// CHECK: must_write: {{.*}}[i0, i1] -> Arr0[o0 = i0, o1 = i1]
void window(int height, int width, int stride, double *restrict c, const double *restrict a) {
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++)
      *c++ = a[x + y];
    c += stride - width;
  }
}
