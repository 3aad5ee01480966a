// The same order again, and data decide what is written: written anew it took 1.7 times as long.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s

#include <math.h>

// CHECK-NOT: loops reordered
// CHECK: not estimated to be enough faster
double largest(int n, int m, const double *A, int *row, int *column) {
  double best = -1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (fabs(A[i * m + j]) > best) {
        best = fabs(A[i * m + j]);
        *row = i;
        *column = j;
      }
  return best;
}
