// A filter with as many taps as an argument says: LLVM does not unroll the sum, whose additions wait for each other.

// RUN: %clang -O3 -march=x86-64-v3 -c -o /dev/null -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs %s 2>&1 | FileCheck %s

// CHECK: loops reordered: {{.*}}unrolled and jammed
void fir(const float *x, int n, const float *h, int taps, float *y) {
  for (int i = 0; i + taps <= n; i++) {
    float sum = 0;
    for (int k = 0; k < taps; k++)
      sum += h[k] * x[i + k];
    y[i] = sum;
  }
}

// Where the rows get shorter the sum may have nothing to add, which says nothing of the sizes.
// CHECK: loops reordered: {{.*}}unrolled and jammed
void correlation(const double *x, int n, int lags, double *r) {
  for (int l = 0; l < lags; l++) {
    double sum = 0;
    for (int i = 0; i < n - l; i++)
      sum += x[i] * x[i + l];
    r[l] = sum;
  }
}
