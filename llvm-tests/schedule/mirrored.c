// Back substitutions: rows are counted down, and those above are updated. Counted from their other end they run as
// forward ones do, in blocks of the depth. Where the newest row comes first in each sum there is no such order.

// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=columns -pass-remarks=polyrs %t.ll 2>&1 | FileCheck %s
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=right -pass-remarks=polyrs %t.ll 2>&1 | FileCheck %s
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=cholesky -pass-remarks=polyrs %t.ll 2>&1 | FileCheck %s
// RUN: %opt '-passes=polyrs<fatal-bugs>' -disable-output -polyrs-only-func=newest -pass-remarks=polyrs -pass-remarks-missed=polyrs \
// RUN:   %t.ll 2>&1 | FileCheck --check-prefix=NEWEST %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DRUN -o %t.old -lm
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -DRUN -o %t.new -lm
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-process-unprofitable %s -DRUN -o %t.forced -lm
// RUN: %t.old > %t.old.txt
// RUN: %t.new | diff %t.old.txt -
// RUN: %t.forced | diff %t.old.txt -

#include <stdio.h>

#define KERNEL __attribute__((noinline))
#define A(i, j) a[(i) + (long)(j) * lda]
#define B(i, j) b[(i) + (long)(j) * ldb]

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

#ifdef RUN
#define MOST 230
static double a[MOST * MOST], b[MOST * MOST];

static void fill(int n) {
  for (int i = 0; i < MOST * MOST; i++) {
    a[i] = i / MOST == i % MOST ? n + 8 : 1.0 / (i % 11 + 1);
    b[i] = i % 7 - 2.5;
  }
}

static double sum(const double *x) {
  double s = 0;
  for (int i = 0; i < MOST * MOST; i++)
    s = s * 0.999 + x[i];
  return s;
}

int main(void) {
  int sizes[][2] = {{0, 3}, {1, 1}, {2, 90}, {33, 65}, {70, 100}, {230, 97}, {128, 230}, {229, 228}};
  for (int k = 0; k < 8; k++) {
    int m = sizes[k][0], n = sizes[k][1];
    fill(m);
    columns(m, n, a, MOST, b, MOST);
    printf("%a", sum(b));
    right(m, n, a, MOST, b, MOST);
    printf(" %a", sum(b));
    newest(m, n, a, MOST, b, MOST);
    cholesky(m, a, MOST);
    printf(" %a %a\n", sum(b), sum(a));
  }
}
#endif
