// Where the original stays beside new code it has the loops that the user wrote, with a condition before each
// iteration, not the canonical ones: products of 2 and 3 rows took a tenth longer in these.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -march=x86-64-v3 -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -S %t.ll | FileCheck %s

// CHECK-LABEL: @product(
// CHECK: polyrs.region:
// CHECK: for.cond:
// CHECK: br i1 %{{.*}}, label %for.cond{{[0-9]+}}, label %[[END:[^ ]*shape[^ ]*]]
// CHECK: for.cond{{[0-9]+}}:
// CHECK: br i1 %{{.*}}, label %for.body
// CHECK: for.body{{[0-9]*}}:
// CHECK: [[END]]:
void product(int n, int m, int k, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int p = 0; p < k; p++)
        c[i * m + j] += a[i * k + p] * b[p * m + j];
}
