// Column by column, a matrix of few long rows is as slow as a large one, and new code gains as much: less is asked of
// the number of rows where they are long than where the matrix is small. Both sizes small: the original runs.

// RUN: %clang -O3 -march=x86-64-v3 -fno-discard-value-names -fpass-plugin=%plugin -S -emit-llvm %s -o %t.ll
// RUN: %opt -internalize-public-api-list=few -passes=internalize,ipsccp,simplifycfg,globaldce -S %t.ll | FileCheck %s --check-prefix=FEW
// RUN: %opt -internalize-public-api-list=small -passes=internalize,ipsccp,simplifycfg,globaldce -S %t.ll | FileCheck %s --check-prefix=SMALL
// RUN: %clang -O3 -march=x86-64-v3 %s -DMAIN -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 %s -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -o %t.new
// RUN: %t.new | diff %t.expected -

#include <stdio.h>

// FEW-LABEL: define {{.*}} @update(
// FEW: call {{.*}}@update.polyrs
// SMALL-LABEL: define {{.*}} @update(
// SMALL-NOT: call {{.*}}@update.polyrs
__attribute__((noinline)) void update(long n, long m, double *restrict A, const double *restrict x,
                                      const double *restrict y) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      A[i * m + j] += x[i] * y[j];
}

void few(double *restrict A, const double *restrict x, const double *restrict y) { update(8, 1000, A, x, y); }

void small(double *restrict A, const double *restrict x, const double *restrict y) { update(8, 8, A, x, y); }

#ifdef MAIN
static double A[30 * 1000], x[1000], y[1000];

int main(void) {
  for (int i = 0; i < 30 * 1000; i++)
    A[i] = 1.0 / (1 + i), x[i % 1000] = i % 7 - 3, y[i % 1000] = 1.0 / (i % 11 + 3);
  const long sizes[][2] = {{8, 1000}, {8, 8}, {4, 64}, {3, 1000}, {1000, 8}, {30, 100}, {1, 1000}, {100, 5}};
  for (int k = 0; k < 8; k++)
    update(sizes[k][0], sizes[k][1], A, x, y);
  double sum = 0;
  for (int i = 0; i < 30 * 1000; i++)
    sum = sum / 3 + A[i];
  printf("%a %a\n", sum, A[999]);
}
#endif
