// Whether a product has enough to do for copies to pay takes products of its sizes, and is asked behind the sizes
// themselves: products of 3 x 3 ran at 0.75 of clang's speed where all was in one place.

// RUN: %clang -O3 -march=x86-64-v3 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs' -S %t.ll | FileCheck %s

// CHECK-LABEL: define {{.*}}@product(
// CHECK: polyrs.check:
// CHECK-NOT: mul
// CHECK: br i1 %{{.*}}, label %polyrs.apart, label %polyrs.region
// CHECK: polyrs.apart:
// CHECK: mul
// CHECK-NOT: i128
// CHECK: br i1 %{{.*}}, label %polyrs.enough, label %polyrs.region
// CHECK: polyrs.enough:
// CHECK: add i128
void product(const double *a, const double *b, double *c, int m, int n, int p) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < p; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * p + j];
      c[i * p + j] = s;
    }
}
