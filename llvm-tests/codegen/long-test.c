// A run-time test of arrays is a function of its own, which no pass looks at: to vectorizers it would be one reduction
// over all comparisons, and it would take registers. It runs where sizes are large enough, and leaves the registers as
// they are. Where the pass runs by its name it stays in place.

// RUN: %clang -O3 -g -Xclang -disable-llvm-passes -emit-llvm -c %s -o %t.bc
// RUN: %opt -passes='default<O3>' -verify-each -debug-pass-manager -S %t.bc -o %t.ll 2> %t.passes
// RUN: FileCheck %s --check-prefix=LONG --input-file=%t.ll
// RUN: FileCheck %s --check-prefix=PASSES --input-file=%t.passes
// RUN: %opt -passes='lto-pre-link<O3>' -verify-each -S %t.bc -o - | FileCheck %s --check-prefix=LONG
// RUN: %opt -passes=polyrs -S %t.bc -o - | FileCheck %s --check-prefix=NAMED

// LONG-LABEL: define {{.*}}void @products(
// LONG: %[[APART:.*]] = {{.*}}call {{.*}}i1 @products.polyrs.test.0(ptr {{.*}}!dbg
// LONG-NOT: icmp {{.*}}i128
// LONG-LABEL: define {{.*}}void @product(
// LONG: call preserve_mostcc {{.*}}i1 @product.polyrs.test.0(
// LONG-LABEL: define {{.*}}void @sized(
// LONG: icmp {{.*}}, !dbg
// LONG: br i1
// LONG: call preserve_mostcc {{.*}}i1 @sized.polyrs.test.0(
// LONG-NEXT: br i1
// LONG-LABEL: define {{.*}}void @multiplied(
// LONG: icmp {{.*}}, !dbg
// LONG: br i1
// LONG: call {{.*}}i1 @multiplied.polyrs.test.0(
// LONG-NEXT: br i1
// LONG-LABEL: define internal {{.*}}i1 @products.polyrs.test.0(
// LONG-COUNT-14: icmp {{[a-z]+}} i128
// LONG-NOT: icmp
// LONG: ret i1

// PASSES-NOT: Running pass: {{[A-Za-z]*(Combine|SLP|CSE)[A-Za-z]*}} on products.polyrs.test.0

// NAMED-NOT: polyrs.test

enum { N = 300 };
typedef double Matrix[N][N];

void products(Matrix A, Matrix B, Matrix C, Matrix D, Matrix E) {
  for (int j = 0; j < N; j++)
    for (int k = 0; k < N; k++)
      for (int i = 0; i < N; i++)
        E[i][j] += A[i][k] * B[k][j] + C[i][k] * D[k][j];
  for (int j = 0; j < N; j++)
    for (int k = 0; k < N; k++)
      for (int i = 0; i < N; i++)
        D[i][j] += A[i][k] * B[k][j];
}

void product(Matrix A, Matrix C) {
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      C[i][j] += A[i][j];
}

void sized(int n, const double *A, const double *B, double *C) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      C[i * n + j] += A[i * n + j] * B[i * n + j];
}

void multiplied(int n, double A[n][n], double B[n][n], double C[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
