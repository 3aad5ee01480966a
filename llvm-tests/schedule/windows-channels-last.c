// Along a row of a window, pixels and their channels are one loop: with the window's rows they are as short as windows
// are, and as long as the channels make them. Few of each are asked for.

// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=polyrs' -disable-output -polyrs-only-func=layer -pass-remarks=polyrs -pass-remarks-analysis=polyrs %t.ll 2>&1 \
// RUN:   | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DRUN -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -DRUN -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define KERNEL __attribute__((noinline))

// CHECK: loops reordered: coalesced, {{.*}}packed
// CHECK: tested at run time: it pays where
// CHECK-NOT: >= {{[1-9][0-9]}}
KERNEL void layer(int n, int c, int h, int w, int k, int r, const float *restrict in, const float *restrict by,
                  float *restrict out) {
  int rows = h - r + 1, columns = w - r + 1;
  for (int b = 0; b < n; b++)
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < columns; x++)
        for (int f = 0; f < k; f++) {
          float sum = 0.5f;
          for (int p = 0; p < r; p++)
            for (int q = 0; q < r; q++)
              for (int d = 0; d < c; d++)
                sum += in[((b * h + y + p) * w + x + q) * c + d] * by[((f * r + p) * r + q) * c + d];
          out[((b * rows + y) * columns + x) * k + f] = sum;
        }
}

#ifdef RUN
#define N 2
#define C 17
#define H 19
#define W 22
#define K 29
static float in[N * C * H * W], by[K * C * 25], out[N * K * (H + 1) * (W + 1)];

int main(void) {
  for (int i = 0; i < N * C * H * W; i++)
    in[i] = (i * 7919 % 1000) / 8.0f;
  for (int i = 0; i < K * C * 25; i++)
    by[i] = (i * 31 % 100) / 64.0f;
  for (int r = 0; r <= 5; r++)
    for (int c = 1; c <= C; c += 8) {
      layer(N, c, H, W, K, r, in, by, out);
      double sum = 0.0;
      for (int i = 0; i < N * K * (H + 1) * (W + 1); i++)
        sum = sum * 0.75 + out[i];
      printf("%d %d %a\n", r, c, sum);
    }
  return 0;
}
#endif
