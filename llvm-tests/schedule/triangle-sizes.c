// Half of each tile at the diagonal of a triangle is for nothing: where the original may add up in vectors, packing
// pays for larger triangles only.

// RUN: %clang -O3 -march=x86-64-v4 -fno-discard-value-names -fpass-plugin=%plugin -S -emit-llvm %s -o - 2>&1 | FileCheck %s

// CHECK-LABEL: define {{.*}} @in_any_order(
// CHECK: icmp sgt i32 %n, 63
// CHECK: icmp sgt i32 %m, 23
void in_any_order(int n, int m, int ld, int *A, int *B, int *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < m; k++)
        C[i * ld + j] += A[i * ld + k] * B[j * ld + k];
}

// CHECK-LABEL: define {{.*}} @in_this_order(
// CHECK: icmp sgt i32 %n, 23
// CHECK: icmp sgt i32 %m, 2
void in_this_order(int n, int m, int ld, double *A, double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < m; k++)
        C[i * ld + j] += A[i * ld + k] * B[j * ld + k];
}
