// Back substitutions: rows are counted down, and those above are updated. Counted from their other end they run as
// forward ones do, in blocks of the depth. Where the newest row comes first in each sum there is no such order: see
// sums-outside.c.

// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=columns -pass-remarks=polyrs %t.ll 2>&1 \
// RUN:   | FileCheck %s
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=right -pass-remarks=polyrs %t.ll 2>&1 \
// RUN:   | FileCheck %s
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=cholesky -pass-remarks=polyrs %t.ll 2>&1 \
// RUN:   | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DRUN -o %t.old -lm
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs \
// RUN:   %s -DRUN -o %t.new -lm
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-process-unprofitable %s -DRUN -o %t.forced -lm
// RUN: %t.old > %t.old.txt
// RUN: %t.new | diff %t.old.txt -
// RUN: %t.forced | diff %t.old.txt -

#include "Inputs/solves.h"

// CHECK: remark: {{.*}}in blocks of {{[0-9]+}} and {{[0-9]+}}, packed for
KERNEL void columns(int m, int n, const double *restrict a, int lda, double *restrict b, int ldb) {
  for (int j = 0; j < n; j++)
    for (int k = m - 1; k >= 0; k--) {
      B(k, j) /= A(k, k);
      for (int i = 0; i < k; i++)
        B(i, j) -= B(k, j) * A(i, k);
    }
}

KERNEL void right(int m, int n, const double *restrict a, int lda, double *restrict b, int ldb) {
  for (int k = n - 1; k >= 0; k--) {
    for (int i = 0; i < m; i++)
      B(i, k) /= A(k, k);
    for (int j = 0; j < k; j++)
      for (int i = 0; i < m; i++)
        B(i, j) -= A(j, k) * B(i, k);
  }
}

KERNEL void cholesky(int n, double *restrict a, int lda) {
  for (int k = n - 1; k >= 0; k--) {
    A(k, k) = __builtin_sqrt(A(k, k));
    for (int i = 0; i < k; i++)
      A(i, k) /= A(k, k);
    for (int j = 0; j < k; j++)
      for (int i = 0; i <= j; i++)
        A(i, j) -= A(i, k) * A(j, k);
  }
}

#ifdef RUN
int main(void) {
  for (int k = 0; k < n_sizes; k++) {
    int m = sizes[k][0], n = sizes[k][1];
    fill(m);
    columns(m, n, a, MOST, b, MOST);
    show(b);
    right(m, n, a, MOST, b, MOST);
    show(b);
    cholesky(m, a, MOST);
    show(a);
  }
}
#endif
