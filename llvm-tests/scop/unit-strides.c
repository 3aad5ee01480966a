// Arrays of which all strides are parameters: the one that is named last is assumed to be 1, which is tested before the
// loops.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: scop plain:0
// CHECK: assumed: {{.*}} = 1{{.*}} }
// CHECK: array Arr0 memory f64 [*, p{{.}}]
// CHECK: must_write: {{.*}} -> Arr{{.}}[o0 = i1, o1 = i0] }
void plain(double *restrict o, const double *restrict a, int n, int m, int si, int sj) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      o[i * si + j * sj] = a[i * si + j * sj] * 2;
}

// Strides that lie in memory; those of each array are its own.
typedef struct {
  double *data;
  long size[2], stride[2];
} Tensor;
// CHECK-LABEL: scop product:0
// CHECK: assumed: {{.*}} = 1 and {{.*}} = 1 and {{.*}} = 1
// CHECK: domain: {{.*}} Stmt0[i0, i1, i2]
void product(Tensor *o, const Tensor *a, const Tensor *b) {
  for (long i = 0; i < o->size[0]; i++)
    for (long j = 0; j < o->size[1]; j++)
      for (long k = 0; k < a->size[1]; k++)
        o->data[i * o->stride[0] + j * o->stride[1]] +=
            a->data[i * a->stride[0] + k * a->stride[1]] * b->data[k * b->stride[0] + j * b->stride[1]];
}

// Where elements lie side by side in one dimension, two other strides stay what they are.
// CHECK-NOT: {{ = 1 }}
// CHECK: not optimized: this subscript is not an affine function{{.*}} by different sizes
// CHECK-NOT: Stmt0[i0, i1, i2]
void planes(double *restrict o, const double *restrict a, int n, int si, int sj) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        o[i * si + j * sj + k] = a[i * sj + j * si + k];
}
