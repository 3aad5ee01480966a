// A root of what is never negative sets no errno: it is an instruction, so that new loops run in vectors. A pass of
// LLVM says so of the user's code, after new loops are written.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=polyrs -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.ll
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -o %t.plain -lm && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -o %t.new -lm
// RUN: %t.new | diff %t.expected -
#include <errno.h>
#include <math.h>

// REMARK: :[[@LINE+3]]:3: remark: loops reordered
// CHECK: call <4 x double> @llvm.sqrt.v4f64
void attract(int n, const double *x, const double *y, double *ax) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++) {
      double dx = x[j] - x[i], dy = y[j] - y[i], d2 = dx * dx + dy * dy + 1e-6;
      s += dx / (sqrt(d2) * d2);
    }
    ax[i] = s;
  }
}

// What may be negative sets errno.
// CHECK: define {{.*}} @differences
// CHECK: call double @sqrt
void differences(int n, const double *x, const double *y, double *r) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      r[j * n + i] = sqrt(x[j] - y[i]);
}

#ifdef MAIN
#include <stdio.h>

static double x[300], y[300], a[300], r[300 * 300];

int main(void) {
  for (int k = 0; k < 300; k++) x[k] = k * 7 % 31 + 30, y[k] = k * 5 % 13;
  attract(300, x, y, a);
  for (int k = 0; k < 300; k++) printf("%a\n", a[k]);
  differences(300, x, y, r);
  printf("%a %d\n", r[77777], errno);
  y[299] = 1000;
  differences(300, x, y, r);
  printf("%d\n", errno == EDOM);
}
#endif
