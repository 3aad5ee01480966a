// What LLVM makes straight code of leaves the loop around innermost, in vectors: the sum of a window is a value of its
// own in each iteration of that loop. New code chosen as if it were a chain of additions is three times slower.

// RUN: %clang -O3 -march=x86-64-v3 -c -o /dev/null -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs %s 2>&1 | FileCheck %s

// CHECK-NOT: loops reordered
// CHECK: short-loops-in-vectors.c:[[@LINE+3]]:3: remark: order of the loops kept
// CHECK-NOT: loops reordered
void box(const unsigned char *src, unsigned char *dst, int w, int h) {
  for (int y = 2; y < h - 2; y++)
    for (int x = 2; x < w - 2; x++) {
      int sum = 0;
      for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
          sum += src[(y + j) * w + x + i];
      dst[y * w + x] = (unsigned char)((sum + 12) / 25);
    }
}

// A window as long as an argument says is no straight code.
// CHECK: loops reordered
void window(const float *restrict src, const float *restrict weights, float *restrict dst, int w, int h, int r) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float sum = 0;
      for (int i = 0; i < r; i++)
        sum += src[y * (w + r) + x + i] * weights[i];
      dst[y * w + x] = sum;
    }
}

// Sums of integers as well: with taps that LLVM unrolls, the loop around runs in vectors.
// CHECK-NOT: loops reordered
// CHECK: short-loops-in-vectors.c:[[@LINE+2]]:3: remark: order of the loops kept
void taps(int n, const short *x, short *y, const short *c) {
  for (int i = 0; i < n; i++) {
    short sum = 0;
    for (int k = 0; k < 31; k++)
      sum += c[k] * x[i + k];
    y[i] = sum;
  }
}
