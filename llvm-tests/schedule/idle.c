// A loop that others went around is asked to run: where there is no k, the new order would go through all of a for
// nothing, once for each i, and the original goes through b alone.

// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=polyrs' -disable-output -polyrs-only-func=updates -pass-remarks=polyrs \
// RUN:   -pass-remarks-analysis=polyrs %t.ll 2>&1 | FileCheck --check-prefix=UPDATES %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DRUN -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -DRUN -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define KERNEL __attribute__((noinline))

// UPDATES: loops reordered: {{.*}}packed
// UPDATES: it pays where {{(.* and )?}}argument 3 >= 3
KERNEL void updates(int n, int m, int o, double *restrict a, double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++) {
    b[i] = b[i] * .5;
    for (int k = 0; k < o; k++)
      for (int j = 0; j < m; j++)
        for (int l = 0; l < m; l++)
          a[l * m + j] += b[k * m + j] * c[i * m + l];
  }
}

KERNEL void columns(int t, int n, double *restrict a) {
  for (int s = 0; s < t; s++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        a[i * n + j] = a[i * n + j] * 0.5 + 1.0;
}

#ifdef RUN
static double a[100 * 100], b[100 * 100], c[100 * 100];

int main(void) {
  for (int i = 0; i < 100 * 100; i++)
    a[i] = i % 13, b[i] = i % 7, c[i] = i % 11;
  for (int o = 0; o < 3; o++)
    for (int n = 0; n <= 100; n += 50)
      for (int m = 0; m <= 100; m += 25) {
        updates(n, m, o, a, b, c);
        columns(o, m, a);
        double sum = 0.0;
        for (int i = 0; i < 100 * 100; i++)
          sum = sum * 0.75 + a[i] + b[i];
        printf("%d %d %d %a\n", n, m, o, sum);
      }
  return 0;
}
#endif
