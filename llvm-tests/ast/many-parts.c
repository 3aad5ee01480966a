// Pieces of many sides are not cut into parts without end before it is known that one loop over all of them is made.

// RUN: bash -c 'ulimit -v 1500000; timeout 60 %clang -O3 -w -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-tile-sizes=3,5,2 -mllvm -polyrs-process-unprofitable -Rpass=polyrs -c %s -o %t.o' 2>&1 | FileCheck %s

// CHECK: remark: loops reordered
void kernel(int n, int m, double *T1, double *T2, double *T3) {
  double *oT1[] = {T1, T2, T3}, **hT1 = oT1;
  __asm__ volatile("" : "+r"(hT1) : : "memory");
  for (int i0 = 0; i0 < n - 1; i0++) {
    for (int i1 = 1; i1 < n; i1++) {
      for (int i2 = 1; i2 < m; i2++) {
        hT1[2][43 * i1 + i2 - 43] = hT1[0][43 * i1 + i2 - 43] - hT1[0][43 * i1 + i2] - hT1[2][43 * i1 + i2 - 44] +
                                    hT1[0][43 * i1 + i2 - 42];
      }
    }
    {
      double *last = hT1[0];
      hT1[0] = hT1[1];
      hT1[1] = hT1[2];
      hT1[2] = last;
    }
  }
}
