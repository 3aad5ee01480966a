// -polyrs-trace: a program says which code of its regions it runs.

// RUN: %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-trace -mllvm -polyrs-process-unprofitable %s -o %t
// RUN: %t 2>&1 | FileCheck %s
// RUN: %clang -O2 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable %s -o %t.silent
// RUN: %t.silent 2>&1 | FileCheck --check-prefix=SILENT %s --implicit-check-not=polyrs:

#include <stdio.h>

__attribute__((noinline)) void columns(int n, double *a, const double *b) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[i * n + j] += b[i * n + j];
}

int main(void) {
  static double a[2 * 400 * 400], b[400 * 400];
  // CHECK: apart
  // CHECK-NEXT: polyrs: columns:0: new code
  // SILENT: apart
  fprintf(stderr, "apart\n");
  columns(400, a, b);
  // CHECK-NEXT: overlapping
  // CHECK-NEXT: polyrs: columns:0: original code
  // SILENT: overlapping
  fprintf(stderr, "overlapping\n");
  columns(400, a, a + 7);
}
