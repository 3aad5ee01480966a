// What small data fails by is asked first: sizes that are too small to gain, before what costs more to find out, here
// whether rows of a length that is a value are as long as the loop.

// RUN: %clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs' -S %t.ll | FileCheck %s

// CHECK-LABEL: define {{.*}}@rows(
// CHECK: polyrs.check:
// CHECK-NOT: add
// CHECK: br i1 %{{.*}}, label %polyrs.apart, label %polyrs.region
// CHECK: polyrs.apart:
// CHECK: add i128
// CHECK: br i1 %{{.*}}, label %polyrs.start, label %polyrs.region
void rows(long n, long m, int ld, double (*restrict a)[ld], const float (*restrict c)[ld]) {
  for (long j = 2; j < m - 2; j++) {
    double s = a[j][j];
    for (long k = 2; k < n - 2; k++)
      s = s > c[j + 1][k] ? s : c[j + 1][k];
    a[j][j] = s;
  }
}
