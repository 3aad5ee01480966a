// As many points as coefficients, by what is taken for sizes that are not known: new code asks for points, along which
// it runs in vectors. For one to seven points it took two to four times as long.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass-analysis=polyrs -c %s -o %t.o 2>&1 | FileCheck %s

// CHECK: estimated: {{.*}} in the original one: {{[1-9][0-9]}}.{{[0-9]+}} times as fast
// CHECK-SAME: tested at run time: it pays where argument 1 >= 24 or where argument 1 >= 4 and argument 2 >= 64 (
void polynomial(int points, int degree, const double *coefficients, const double *x, double *y) {
  for (int i = 0; i < points; i++) {
    double s = 0;
    for (int k = degree; k >= 0; k--)
      s = s * x[i] * .1 + coefficients[k];
    y[i] = s;
  }
}
