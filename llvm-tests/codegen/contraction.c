// Matrix products run from packed copies, in a kernel that keeps a tile in registers: nothing of it is in memory while
// it runs.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<only-func=product;fatal-bugs>,verify' %t.ll -S -o %t.out.ll -pass-remarks=polyrs 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.out.ll
// RUN: %opt -passes='default<O3>' %t.out.ll -S -o - | llc -O3 -o - | FileCheck %s --check-prefix=ASM
// RUN: %opt -passes='polyrs<only-func=product;pattern-matching-based-opts=false>' %t.ll -S -o - | FileCheck %s --check-prefix=OFF
// RUN: %opt -passes='polyrs<only-func=own;fatal-bugs>' %t.ll -S -o - | FileCheck %s --check-prefix=OFF
// The same bits come out, of whole tiles and of edges, from memory and from a local sum.
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.packed && %t.packed | diff %t.expected -

// REMARK: remark: {{.*}}loops reordered: packed for 6x8 in registers

// CHECK: define internal void @polyrs.kernel.6x8(i64 %0, ptr %1, ptr %2, ptr %3, i64 %4) [[ATTRIBUTES:#[0-9]+]]
// CHECK: depth:
// CHECK-COUNT-12: phi <4 x double>
// CHECK-COUNT-12: call <4 x double> @llvm.fmuladd.v4f64(
// CHECK: br i1
// CHECK: define internal void @polyrs.contraction.6x8(ptr %0) [[ROUTINE:#[0-9]+]]
// CHECK: attributes [[ATTRIBUTES]] = { noinline
// The code around the kernel gets the least of LLVM's time.
// CHECK: attributes [[ROUTINE]] = { noinline {{.*}}optnone

// ASM-LABEL: polyrs.kernel.6x8:
// ASM-NOT: sp)
// ASM: [[DEPTH:.LBB[0-9_]+]]:
// ASM-NOT: sp)
// ASM-COUNT-12: vfmadd
// ASM-NOT: vmov{{.*}}, {{.*}}(
// ASM: j{{.*}} [[DEPTH]]
// ASM-NOT: sp)
// ASM: .cfi_endproc

// OFF-NOT: polyrs.kernel

// Two products of one function share a kernel, the code around it, and what packs them.
// RUN: %opt -passes='polyrs<only-func=twice;fatal-bugs>' %t.ll -S -o - | FileCheck %s --check-prefix=SHARED
// SHARED-COUNT-2: call void @polyrs.contraction.6x8(
// SHARED-NOT: call void @polyrs.contraction.6x8(
// SHARED: define internal void @polyrs.kernel.6x8(
// SHARED-NOT: define internal void @polyrs.kernel
// SHARED: define internal void @polyrs.contraction.6x8(
// SHARED-COUNT-2: define internal void @polyrs.pack
// SHARED: define internal void @polyrs.record(
// SHARED-NOT: define internal void @polyrs

// Triangles are contractions; where the depth is not the same for all rows, blocks of it are (see blocks_of_depth.c).
// RUN: %opt -passes='polyrs<only-func=triangle;fatal-bugs>' %t.ll -disable-output -pass-remarks=polyrs 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %opt -passes='polyrs<only-func=wedge;fatal-bugs>' %t.ll -disable-output -pass-remarks=polyrs 2>&1 | FileCheck %s --check-prefix=WEDGE
// WEDGE: loops reordered: in blocks of {{[0-9]+}} and {{[0-9]+}}, packed for 6x8 in registers

#include <stdio.h>

#define N 200
#define K 300
double A[N][K], B[K][N], C[N][N], D[N][N];

void product(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++)
        C[i][j] += A[i][k] * B[k][j];
}

// What is updated is read elsewhere.
void own(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += C[i][k] * B[k][j];
}

__attribute__((noinline)) void twice(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++)
        C[i][j] += A[i][k] * B[k][j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        D[i][j] += A[i][k] * C[k][j];
}

__attribute__((noinline)) void triangle(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < K; k++)
        C[i][j] += A[i][k] * A[j][k];
}

__attribute__((noinline)) void wedge(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = i; k < K; k++)
        C[i][j] += A[i][k] * B[k][j];
}

__attribute__((noinline)) void above(int n, int l, int d, double *restrict a, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = i + d; j < n; j++)
      for (int k = 0; k < l; k++)
        c[j * N + i] -= a[i * K + k] * a[j * K + k];
}

__attribute__((noinline)) void scaled_sum(double al) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < K; k++)
        sum += al * A[i][k] * B[k][j];
      D[j][i] = sum;
    }
}

__attribute__((noinline)) void parameters(int n, int m, int l, double *restrict a, double *restrict b, double *restrict c) {
  for (int k = 0; k < l; k++)
    for (int j = 0; j < m; j++)
      for (int i = 0; i < n; i++)
        c[i * N + j] -= a[i * K + k] * b[k * N + j];
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < K; k++) {
      A[i][k] = (i * 7 + k * 3) % 101 / 7.0;
      B[k][i] = (i * 5 + k * 11) % 103 / 9.0;
    }
  product();
  twice();
  triangle();
  wedge();
  scaled_sum(1.3);
  for (int n = 1; n < N; n += 37)
    above(n, n + 50, n % 7, &A[0][0], &D[0][0]);
  for (int n = 1; n < N; n += 39)
    parameters(n, N - n, n + 99, &A[0][0], &B[0][0], &D[0][0]);
  unsigned long long hash = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      union { double value; unsigned long long bits; } c = {C[i][j]}, d = {D[i][j]};
      hash = hash * 31 + c.bits * 7 + d.bits;
    }
  printf("%llu\n", hash);
}
