// Seven loops over unsigned sizes: each is entered where a size is not 0, and a size of 2^63 and more has no iteration
// between 0 and what it is as a signed number. The alternatives are as many as before.

// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs -mllvm -polyrs-fatal-bugs -DRUN %s -o %t.new 2>&1 \
// RUN:   | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DRUN -o %t.old
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stddef.h>
#include <stdio.h>

#define KERNEL __attribute__((noinline))

// CHECK-NOT: too many alternatives
// CHECK: :[[@LINE+5]]:{{[0-9]+}}: remark: loops reordered: {{.*}}packed
// CHECK-NOT: too many alternatives
KERNEL void layer(size_t n, size_t c, size_t h, size_t k, size_t r, const float *restrict in, const float *restrict by,
                  float *restrict out) {
  size_t m = h - r + 1;
  for (size_t b = 0; b < n; b++)
    for (size_t y = 0; y < m; y++)
      for (size_t x = 0; x < m; x++)
        for (size_t f = 0; f < k; f++) {
          float sum = 0.5f;
          for (size_t p = 0; p < r; p++)
            for (size_t q = 0; q < r; q++)
              for (size_t d = 0; d < c; d++)
                sum += in[((b * h + y + p) * h + x + q) * c + d] * by[((f * r + p) * r + q) * c + d];
          out[((b * m + y) * m + x) * k + f] = sum;
        }
}

#ifdef RUN
#define N 2
#define C 17
#define H 19
#define K 29
static float in[N * C * H * H], by[K * C * 25], out[N * K * (H + 1) * (H + 1)];

int main(void) {
  for (int i = 0; i < N * C * H * H; i++)
    in[i] = (i * 7919 % 1000) / 8.0f;
  for (int i = 0; i < K * C * 25; i++)
    by[i] = (i * 31 % 100) / 64.0f;
  for (size_t r = 0; r <= 5; r++)
    for (size_t k = 0; k <= K; k += K) {
      layer(N, C, H, k, r, in, by, out);
      // A window one larger than the image: nothing is written.
      layer(N, C, r, k, r + 1, in, by, out);
      double sum = 0.0;
      for (int i = 0; i < N * K * (H + 1) * (H + 1); i++)
        sum = sum * 0.75 + out[i];
      printf("%zu %zu %a\n", r, k, sum);
    }
  return 0;
}
#endif
