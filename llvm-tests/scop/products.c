// Products of values that do not change in the loops, in addresses: the first row of an image of several, of a block,
// of a view. Where the program nowhere computes the product of which subscripts are made, the model has a parameter for
// it.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// Image c of several: an array of its own, wherever that begins.
// CHECK-LABEL: scop image:0
// CHECK-NEXT: params: p0, p1, p2{{$}}
// CHECK: array Arr0 view f32 [*, p0] at 4 p0 p1 p2
// CHECK: must_write: {{.*}} -> Arr{{.}}[o0 = i1, o1 = i0] }
void image(long c, long h, long w, float *restrict in, float *restrict out) {
  float *p = in + c * h * w, *q = out + c * h * w;
  for (long x = 0; x < w; x++)
    for (long y = 0; y < h; y++)
      q[y * w + x] = 2 * p[y * w + x];
}

// A row of a matrix of rows of another length.
// CHECK-LABEL: scop row:0
// CHECK: array Arr0 memory f64 [*]
// CHECK: must_write: {{.*}} -> Arr{{.}}[o0 = p{{.}} + i0] }
void row(unsigned long n, unsigned long i, unsigned long tda, double *restrict a, double *restrict v) {
  double *r = a + i * tda;
  for (unsigned long j = 0; j < n; j++)
    r[j] = v[j];
}

// Two rows of one matrix: each has its product.
// CHECK-LABEL: scop swap_rows:0
// CHECK: must_write: {{.*}} -> Arr0[o0 = p[[FIRST:.]] + i0] }
void swap_rows(long n, long i, long k, long tda, double *a) {
  double *r = a + i * tda, *s = a + k * tda;
  for (long j = 0; j < n; j++) {
    double t = r[j];
    r[j] = s[j];
    s[j] = t;
  }
}

// The product of a counter of these loops is none of them.
// CHECK: not optimized: this subscript is not an affine function
// CHECK-NOT: Stmt0[i0, i1]
void varies(long n, long m, double *restrict a, double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[i * j * m] = b[j];
}
