// An elimination with pivoting: the loop over the columns ends early and stays, and its counter is there twice, in 64
// and in 32 bits, one more. Both are one parameter, or the row of the pivot might be one of those below it. The rows
// are swapped behind a condition that no loop of the nest is in: it makes no branch of what the loops do.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -Xclang -load -Xclang %plugin -fpass-plugin=%plugin -mllvm -polyrs-print-after=scops -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SCOP
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -o %t.new
// RUN: %t.new | diff %t.expected -

// SCOP: scop eliminate:0
// SCOP-NEXT: params: p0, p1, p2{{$}}
// SCOP: read: {{.*}} -> { Stmt2[i0] -> Arr0[o0 = p0, o1 = p0] }
// SCOP: read: {{.*}} -> { Stmt3[i0, i1] -> Arr0[o0 = p0, o1 = p0 + i1 + 1] }
#include <math.h>

// CHECK: :[[@LINE+8]]:5: remark: loops reordered: distributed, vectorizable
int eliminate(double *a, int n, int *pivots) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
    if (fabs(a[p * n + k]) < 1e-14) return -1;
    pivots[k] = p;
    if (p != k) for (int j = 0; j < n; j++) { double t = a[k * n + j]; a[k * n + j] = a[p * n + j]; a[p * n + j] = t; }
    for (int i = k + 1; i < n; i++) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; j++) a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
  }
  return 0;
}

#ifdef MAIN
#include <stdio.h>

static double a[150 * 150];
static int pivots[150];

int main(void) {
  for (int n = 1; n <= 150; n += n < 40 ? 1 : 37) {
    for (int k = 0; k < n * n; k++) a[k] = k * 7 % 31 - (n % 5 ? 4.25 : 0.) * (k % n != 1);
    printf("%d\n", eliminate(a, n, pivots));
    for (int k = 0; k < n * n; k++) printf("%a\n", a[k]);
    for (int k = 0; k < n; k++) printf("%d\n", pivots[k]);
  }
}
#endif
