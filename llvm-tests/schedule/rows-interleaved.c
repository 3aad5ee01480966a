// An elimination by columns: clang asks before the loop over the columns whether what it updates overlaps the row of
// factors, one of which is in each of them, and runs the loop one by one. Where the factor is a variable of its own, it
// runs in vectors, and the order is kept.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -o %t.new
// RUN: %t.new | diff %t.expected -

// CHECK: :[[@LINE+2]]:3: remark: loops reordered: tiled
void eliminate(int n, double *a) {
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) a[i + k * n] /= a[k + k * n];
    for (int j = k + 1; j < n; j++)
      for (int i = k + 1; i < n; i++) a[i + j * n] -= a[i + k * n] * a[k + j * n];
  }
}

// CHECK: :[[@LINE+2]]:3: remark: order of the loops kept: {{.*}} not estimated to be enough faster
void with_factor(int n, double *a) {
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) a[i + k * n] /= a[k + k * n];
    for (int j = k + 1; j < n; j++) {
      double factor = a[k + j * n];
      for (int i = k + 1; i < n; i++) a[i + j * n] -= a[i + k * n] * factor;
    }
  }
}

#ifdef MAIN
#include <stdio.h>

static double a[150 * 150];

int main(void) {
  for (int n = 1; n <= 150; n += n < 40 ? 1 : 37) {
    for (int k = 0; k < n * n; k++) a[k] = k % 17 + (k % (n + 1) ? 0 : 40);
    eliminate(n, a);
    for (int k = 0; k < n * n; k++) printf("%a\n", a[k]);
  }
}
#endif
