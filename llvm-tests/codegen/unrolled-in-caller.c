// Callers that know how many taps a filter has: few of them become straight code, which runs in vectors along the
// signal, and new code, made for any number, took up to seven times as long there. With many taps they have the new
// code. A product less in a row of them makes no straight code. The same with source positions, and where the arrays
// are the caller's own.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O3 -g -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -fno-discard-value-names -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s --check-prefix=NAMES

// CHECK-LABEL: define {{.*}} @filter(
// CHECK: polyrs
void filter(int n, int taps, const float *h, const float *x, float *y) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < taps; k++)
      sum += h[k] * x[i + k];
    y[i] = sum;
  }
}
float coefficients[1000], signal[100000], filtered[100000];

// CHECK-LABEL: define {{.*}} @few(
// CHECK-NOT: polyrs
// CHECK: ret void
void few(const float *h, const float *x, float *y) { filter(4096, 31, h, x, y); }
// CHECK-LABEL: define {{.*}} @few_of_own(
// CHECK-NOT: polyrs
// CHECK: ret void
void few_of_own(void) { filter(4096, 31, coefficients, signal, filtered); }
// CHECK-LABEL: define {{.*}} @many(
// CHECK: polyrs
// CHECK: ret void
void many(const float *h, const float *x, float *y) { filter(4096, 1000, h, x, y); }
// Two of one caller are asked apart, also where no test stands before the question.
// CHECK-LABEL: define {{.*}} @apart(
// CHECK: polyrs
void apart(int n, int taps, const float *restrict h, const float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < taps; k++)
      sum += h[k] * x[i + k];
    y[i] = sum;
  }
}
float smooth[100000];
// NAMES-LABEL: define {{.*}} @few_then_many(
// NAMES-NOT: {{^}}polyrs.loop{{[0-9]*}}.i{{[0-9]+}}:
// NAMES: {{^}}polyrs.loop{{[0-9]*}}.i:
// NAMES-NOT: {{^}}polyrs.loop{{[0-9]*}}.i{{[0-9]+}}:
// NAMES: ret void
void few_then_many(void) {
  apart(4096, 31, coefficients, signal, filtered);
  apart(4096, 1000, coefficients, signal, smooth);
}

// CHECK-LABEL: define {{.*}} @products(
// CHECK: polyrs
void products(int count, int n, const double *a, const double *b, double *c) {
  for (int p = 0; p < count; p++)
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
          c[(p * n + i) * n + j] += a[(p * n + i) * n + k] * b[(p * n + k) * n + j];
}
// CHECK-LABEL: define {{.*}} @one_product(
// CHECK: polyrs
// CHECK: ret void
void one_product(const double *a, const double *b, double *c) { products(1, 500, a, b, c); }
// CHECK-NOT: asm
