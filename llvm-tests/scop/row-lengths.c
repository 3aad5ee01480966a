// Rows whose length is a maximum, a quotient, a product or the upper half of a register are arrays with two subscripts;
// what is known of the length goes into the context.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: scop maximum:0
// CHECK: invalid: {{.*}} : false }
// CHECK: array Arr0 memory f64 [*, p{{[01]}}]
// CHECK: domain: {{.*}} Stmt0[i0, i1] : 0 <= i0 < p1 and 0 <= i1 < p1 }
void maximum(double *restrict o, const double *restrict a, int n0) {
  int n = n0 > 1 ? n0 : 1;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      o[i * n + j] = a[i * n + j];
}

// CHECK-LABEL: scop product:0
// CHECK: array Arr0 memory f64 [*, p{{.}}]
void product(double *restrict o, const double *restrict a, int n, int b) {
  int ld = n * b;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      o[i * ld + j] = a[i * ld + j];
}

// CHECK-LABEL: scop by_value:0
// CHECK: array Arr0 memory f64 [*, p{{.}}]
typedef struct {
  int rows, cols;
} Size;
void by_value(Size s, double *restrict o, const double *restrict a) {
  for (int j = 0; j < s.cols; j++)
    for (int i = 0; i < s.rows; i++)
      o[i * s.cols + j] = a[i * s.cols + j];
}

// Half of an odd width is tested: a column behind the last would lie in the next row.
// CHECK-LABEL: scop half:0
// CHECK: array Arr1 memory f32 [*, p{{[0-9]}}]
void half(int w, int h, float *restrict o, const float *restrict a) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++)
      o[y * w + x] = a[(y / 2) * (w / 2) + x / 2];
}

// Counting down; whether columns begin before the row does is tested.
// CHECK-LABEL: scop down:0
// CHECK: array Arr0 memory f64 [*, p{{.}}]
// CHECK: must_write: {{.*}} -> Arr0[o0 = i1, o1 = p1 - i0 - 1]
void down(int n, int lo, double *restrict a, const double *restrict b) {
  for (int i = n - 1; i >= lo; i--)
    for (int j = lo; j < n; j++)
      a[j * n + i] += b[j * n + i];
}

// A row length that changes with the row is none.
// CHECK: not optimized: this subscript is not an affine function
// CHECK-NOT: Stmt0[i0, i1]
void ragged(double *o, const double *restrict a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      o[j * i + j] = a[j];
}
