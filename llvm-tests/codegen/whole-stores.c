// Minima and maxima in memory: instruction selection makes stores under a mask of vectors of which some elements are
// those that were there, which are slow. New loops store whole vectors.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S %s -o - | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.new
// RUN: %t.new | diff %t.expected -

#include <math.h>
#include <stdio.h>

// CHECK-LABEL: columns.polyrs.0:
// CHECK-NOT: vmaskmov
// CHECK: vminps
// CHECK-NOT: vmaskmov
// CHECK: vmaxps
// CHECK-NOT: vmaskmov
// CHECK: .size
__attribute__((noinline)) void columns(float *x, int n, int m, float *lo, float *hi) {
  for (int j = 0; j < m; j++) {
    float a = x[j], b = x[j];
    for (int i = 1; i < n; i++) {
      float v = x[i * m + j];
      if (v < a)
        a = v;
      if (v > b)
        b = v;
    }
    lo[j] = a;
    hi[j] = b;
  }
}

static float x[90 * 110], lo[110], hi[110];

int main(void) {
  for (int i = 0; i < 90 * 110; i++)
    x[i] = i % 37 == 5 ? NAN : i % 41 == 7 ? -0.0f : (float)(i * 31 % 101 - 50);
  columns(x, 90, 110, lo, hi);
  for (int j = 0; j < 110; j++)
    printf("%a %a\n", lo[j], hi[j]);
}
