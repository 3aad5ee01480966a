// Factorizations, triangular solves and products: blocks of the depth, in each of them a panel along the diagonal, and
// behind it (or in front, where what is read is overwritten) the updates of full depth, from packed copies.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<only-func=cholesky;fatal-bugs>' %t.ll -disable-output -pass-remarks=polyrs 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %opt -passes='function(sroa,early-cse,simplifycfg),print<polyrs-ast>' -polyrs-only-func=cholesky %t.ll -disable-output 2>&1 | FileCheck %s --check-prefix=CHOLESKY
// RUN: %opt -passes='function(sroa,early-cse,simplifycfg),print<polyrs-ast>' -polyrs-only-func=product %t.ll -disable-output 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: %opt -passes='polyrs<only-func=lu;fatal-bugs>,verify' %t.ll -S -o - | FileCheck %s --check-prefix=LU
// RUN: %opt -passes='polyrs<only-func=overwritten;fatal-bugs>,verify' %t.ll -S -o - | FileCheck %s --check-prefix=OFF
// RUN: %opt -passes='polyrs<only-func=crossed;fatal-bugs>,verify' %t.ll -S -o - | FileCheck %s --check-prefix=OFF
// The same bits come out.
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain -lm && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.packed -lm && %t.packed | diff %t.expected -
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable %s -o %t.forced -lm && %t.forced | diff %t.expected -

// REMARK: remark: {{.*}}loops reordered: in blocks of 96 and 16, packed for 6x8 in registers

// The updates come last, their depth is that of a block.
// CHOLESKY: for (c0 = 0; c0 <= floord(p0 - 1, [[SIZE:[0-9]+]]); c0++) {
// CHOLESKY-NOT: #pragma contraction
// CHOLESKY: Stmt1
// In the panel, in smaller blocks, too.
// CHOLESKY: #pragma contraction
// CHOLESKY: Stmt0
// CHOLESKY: #pragma contraction
// CHOLESKY-NEXT: for ([[I:c[0-9]+]] = [[SIZE]] * c0 + {{[0-9]+}}; [[I]] <= p0 - 1; [[I]]++) {
// CHOLESKY-NEXT: for ([[J:c[0-9]+]] = [[SIZE]] * c0 + [[SIZE]]; [[J]] <= [[I]] - 1; [[J]]++) {
// CHOLESKY-NEXT: for ([[K:c[0-9]+]] = [[SIZE]] * c0; [[K]] <= [[SIZE]] * c0 + {{[0-9]+}}; [[K]]++)
// CHOLESKY-NEXT: Stmt0([[I]], [[J]], [[K]]);
// CHOLESKY-NOT: Stmt

// Here they come first.
// PRODUCT: for (c0 = 0; c0 <= floord(p0 - 1, [[SIZE:[0-9]+]]); c0++) {
// PRODUCT-NEXT: #pragma contraction
// PRODUCT: Stmt0
// PRODUCT: Stmt0

// LU-COUNT-4: call void @polyrs.contraction.6x8(
// LU-NOT: call void @polyrs.contraction

// OFF-NOT: call void @polyrs.contraction

#include <math.h>
#include <stdio.h>

#define N 213
double A[N][N], B[N][N];

__attribute__((noinline)) void cholesky(int n, double a[restrict N][N]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
    for (int k = 0; k < i; k++)
      a[i][i] -= a[i][k] * a[i][k];
    a[i][i] = __builtin_sqrt(a[i][i]);
  }
}

__attribute__((noinline)) void lu(int n, double a[restrict N][N]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        a[i][j] -= a[i][k] * a[k][j];
      a[i][j] /= a[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        a[i][j] -= a[i][k] * a[k][j];
  }
}

// Row k is read before it is overwritten.
__attribute__((noinline)) void product(int n, double a[restrict N][N], double b[restrict N][N]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = i + 1; k < n; k++)
        b[i][j] += a[k][i] * b[k][j];
}

__attribute__((noinline)) void solve(int n, double a[restrict N][N], double b[restrict N][N]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < i; k++)
        b[i][j] -= a[i][k] * b[k][j];
      b[i][j] /= a[i][i];
    }
}

// Each row reads what the rows before have made of all of it, also beyond the block.
__attribute__((noinline)) void overwritten(int n, double a[restrict N][N], double b[restrict N][N]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < j; k++)
        b[i][j] -= a[k][j] * b[i][n - 1 - k];
}

// Rows of full depth read columns that rows of full depth write.
__attribute__((noinline)) void crossed(int n, double a[restrict N][N]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < i; k++)
        a[i][j] -= a[i][k] * a[j][k];
}

static void show(void) {
  unsigned long long hash = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      union { double value; unsigned long long bits; } a = {A[i][j]}, b = {B[i][j]};
      hash = hash * 31 + a.bits * 7 + b.bits;
    }
  printf("%llx\n", hash);
}

static void fill(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 7 + j * 3) % 101 / 700.0 + (i == j ? N : 0);
      B[i][j] = (i * 5 + j * 11) % 103 / 900.0;
    }
}

int main(void) {
  int sizes[] = {1, 31, 64, 97, 192, N};
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int n = sizes[s];
    fill(), cholesky(n, A), show();
    fill(), lu(n, A), show();
    fill(), product(n, A, B), show();
    fill(), solve(n, A, B), show();
    fill(), overwritten(n, A, B), show();
    fill(), crossed(n, A), show();
  }
}
