// Steps of a triangular solve that have a local variable, the reciprocal of the diagonal: they share no band with what
// they update, and run in blocks around all of it. So do factors that are stored and used from a local variable, read
// from the element that holds them, and rows scaled by an element that was read before.

// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=up -pass-remarks=polyrs %t.ll 2>&1 \
// RUN:   | FileCheck %s
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=down -pass-remarks=polyrs %t.ll 2>&1 \
// RUN:   | FileCheck %s
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=overwritten -pass-remarks=polyrs \
// RUN:   %t.ll 2>&1 | FileCheck --allow-empty --check-prefix=OFF %s
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=factors -pass-remarks=polyrs %t.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=FACTORS %s
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=loaded -pass-remarks=polyrs %t.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=FACTORS %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DRUN -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -DRUN -o %t.new
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-process-unprofitable %s -DRUN -o %t.forced
// RUN: %t.old > %t.old.txt
// RUN: %t.new | diff %t.old.txt -
// RUN: %t.forced | diff %t.old.txt -

#include "Inputs/solves.h"

// CHECK: remark: {{.*}}in blocks of {{[0-9]+}} and {{[0-9]+}}, packed for
KERNEL void up(int m, int n, const double *restrict a, int lda, double *restrict b, int ldb) {
  for (int k = 0; k < n; k++) {
    double r = 1 / A(k, k);
    for (int i = 0; i < m; i++)
      B(i, k) *= r;
    for (int j = k + 1; j < n; j++)
      for (int i = 0; i < m; i++)
        B(i, j) -= A(j, k) * B(i, k);
  }
}

KERNEL void down(int m, int n, const double *restrict a, int lda, double *restrict b, int ldb) {
  for (int k = n - 1; k >= 0; k--) {
    double r = 1 / A(k, k);
    for (int i = 0; i < m; i++)
      B(i, k) *= r;
    for (int j = 0; j < k; j++)
      for (int i = 0; i < m; i++)
        B(i, j) -= A(j, k) * B(i, k);
  }
}

// The columns behind are scaled in each step: what is updated in a block is not what it was before.
// OFF-NOT: in blocks of
KERNEL void overwritten(int m, int n, const double *restrict a, int lda, double *restrict b, int ldb) {
  for (int k = 0; k < n; k++) {
    double r = 1 / A(k, k);
    for (int j = k; j < n; j++)
      for (int i = 0; i < m; i++)
        B(i, j) *= r;
    for (int j = k + 1; j < n; j++)
      for (int i = 0; i < m; i++)
        B(i, j) -= A(j, k) * B(i, k);
  }
}

// FACTORS: remark: {{.*}}loops reordered: {{.*}}interchanged, {{.*}}vectorizable
KERNEL void factors(int n, double *restrict a, int lda) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double f = A(i, k) / A(k, k);
      A(i, k) = f;
      for (int j = k + 1; j < n; j++)
        A(i, j) -= f * A(k, j);
    }
}

KERNEL void loaded(int n, double *restrict a, int lda) {
  for (int k = 0; k < n; k++) {
    double r = 1 / A(k, k);
    for (int i = k + 1; i < n; i++)
      A(k, i) *= r;
    for (int j = k + 1; j < n; j++) {
      double t = A(j, k);
      for (int i = k + 1; i < n; i++)
        A(j, i) -= A(k, i) * t;
    }
  }
}

#ifdef RUN
int main(void) {
  for (int k = 0; k < n_sizes; k++) {
    int m = sizes[k][0], n = sizes[k][1];
    fill(n);
    up(m, n, a, MOST, b, MOST);
    show(b);
    down(m, n, a, MOST, b, MOST);
    show(b);
    overwritten(m, n, a, MOST, b, MOST);
    show(b);
    factors(n, a, MOST);
    show(a);
    loaded(n, a, MOST);
    show(a);
  }
}
#endif
