// Right-hand sides outside of rows whose statements follow each other: sums of several right-hand sides, which wait for
// nothing of each other, run side by side once their loop is inside of the rows'. Where rows depend on right-hand sides
// before there is no such order.

// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=newest -pass-remarks=polyrs %t.ll 2>&1 \
// RUN:   | FileCheck %s
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=newest -pass-remarks=polyrs \
// RUN:   -pass-remarks-missed=polyrs %t.ll 2>&1 | FileCheck --check-prefix=NEWEST %s
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=carried -pass-remarks=polyrs %t.ll 2>&1 \
// RUN:   | FileCheck --allow-empty --check-prefix=CARRIED %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DRUN -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -DRUN -o %t.new
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-process-unprofitable %s -DRUN -o %t.forced
// RUN: %t.old > %t.old.txt
// RUN: %t.new | diff %t.old.txt -
// RUN: %t.forced | diff %t.old.txt -

#include "Inputs/solves.h"

// CHECK: remark: {{.*}}loops reordered: {{.*}}jammed by
// The newest row comes first in each sum: blocks of the depth are not legal.
// NEWEST-NOT: in blocks of
KERNEL void newest(int m, int n, const double *restrict a, int lda, double *restrict b, int ldb) {
  for (int j = 0; j < n; j++)
    for (int i = m - 1; i >= 0; i--) {
      double t = B(i, j);
      for (int k = i + 1; k < m; k++)
        t -= A(k, i) * B(k, j);
      B(i, j) = t / A(i, i);
    }
}

// CARRIED-NOT: jammed
KERNEL void carried(int m, int n, const double *restrict a, int lda, double *restrict b, int ldb) {
  for (int j = 1; j < n; j++)
    for (int i = m - 1; i >= 0; i--) {
      double t = B(m - 1 - i, j - 1);
      for (int k = i + 1; k < m; k++)
        t -= A(k, i) * B(k, j);
      B(i, j) = t / A(i, i);
    }
}

#ifdef RUN
int main(void) {
  for (int k = 0; k < n_sizes; k++) {
    int m = sizes[k][0], n = sizes[k][1];
    fill(m);
    newest(m, n, a, MOST, b, MOST);
    show(b);
    carried(m, n, a, MOST, b, MOST);
    show(b);
  }
}
#endif
