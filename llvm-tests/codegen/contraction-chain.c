// What the original takes for an update, which new code for small sizes is weighed against at run time, is not less
// than its chain of additions takes: a covariance with weights is faster from packed copies wherever it is large
// enough for them.

// RUN: %clang -O3 -march=x86-64-v3 -fno-discard-value-names -fpass-plugin=%plugin -S -emit-llvm %s -o %t.ll
// RUN: %opt -internalize-public-api-list=main -passes=internalize,ipsccp,simplifycfg,globaldce -S %t.ll | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.packed
// RUN: %t.packed | diff %t.expected -

#include <stdio.h>

// CHECK-LABEL: define {{.*}} @covariance(
// CHECK: call {{.*}}@covariance.polyrs
__attribute__((noinline)) void covariance(int n, int m, double x[n][m], double *restrict w, double *restrict mean,
                                          double c[m][m]) {
  for (int a = 0; a < m; a++)
    for (int b = a; b < m; b++) {
      double s = 0;
      for (int i = 0; i < n; i++)
        s += w[i] * (x[i][a] - mean[a]) * (x[i][b] - mean[b]);
      c[a][b] = s / n;
      c[b][a] = c[a][b];
    }
}

static double x[120][80], w[120], mean[80], c[80][80];

int main(void) {
  for (int i = 0; i < 120; i++) {
    w[i] = 1.0 / (1 + i % 7);
    for (int j = 0; j < 80; j++)
      x[i][j] = (i * 13 + j * 7) % 101;
  }
  for (int j = 0; j < 80; j++)
    mean[j] = 48 + j % 5;
  covariance(120, 80, x, w, mean, c);
  double sum = 0;
  for (int a = 0; a < 80; a++)
    for (int b = 0; b < 80; b++)
      sum = sum * 0.5 + c[a][b];
  printf("%a\n", sum);
}
