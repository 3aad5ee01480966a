// Tensors of four dims whose sizes are all parameters: whether they overlap is asked with offsets of over 128 bits.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -o %t.new
// RUN: %t.new | diff %t.expected -
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable -o %t.forced
// RUN: %t.forced | diff %t.expected -

// CHECK: :[[@LINE+2]]:3: remark: loops reordered: packed
__attribute__((noinline)) void transform(int a, int b, int c, int d, double T[a][b][c][d], double M[d][d], double U[a][b][c][d]) {
  for (int i = 0; i < a; i++)
    for (int j = 0; j < b; j++)
      for (int k = 0; k < c; k++)
        for (int l = 0; l < d; l++)
          for (int e = 0; e < d; e++) U[i][j][k][l] += T[i][j][k][e] * M[e][l];
}

// CHECK: :[[@LINE+3]]:3: remark: loops reordered: {{.*}}if a run-time check allows it
__attribute__((noinline)) void convolve(int N, int C, int H, int W, int K, int R, float in[N][C][H][W], float w[K][C][R][R],
                                        float out[N][K][H - R + 1][W - R + 1]) {
  for (int n = 0; n < N; n++)
    for (int k = 0; k < K; k++)
      for (int y = 0; y < H - R + 1; y++)
        for (int x = 0; x < W - R + 1; x++) {
          float s = 0;
          for (int c = 0; c < C; c++)
            for (int p = 0; p < R; p++)
              for (int q = 0; q < R; q++) s += in[n][c][y + p][x + q] * w[k][c][p][q];
          out[n][k][y][x] = s;
        }
}

#ifdef MAIN
#include <stdio.h>
#include <stdlib.h>

static void show(const double *v, int n) {
  for (int k = 0; k < n; k++) printf("%a\n", v[k]);
}

int main(void) {
  enum { MOST = 1 << 18 };
  double *t = malloc(3 * MOST * sizeof *t), *m = t + MOST, *u = m + MOST;
  for (int size = 0; size < 5; size++) {
    int a = 1 + size, b = 7 - size, c = 3 + 5 * size, d = 3 << size;
    for (int k = 0; k < 3 * MOST; k++) t[k] = k % 37 - 18.25;
    transform(a, b, c, d, (void *)t, (void *)m, (void *)u);
    show(u, a * b * c * d);
    // The result is what is read: one row behind the other.
    transform(a, b, c, d, (void *)t, (void *)m, (void *)(t + c * d));
    show(t, (a * b + 1) * c * d);
    float *f = (float *)t;
    for (int k = 0; k < MOST; k++) f[k] = k % 29 - 7.5f;
    convolve(2, 3, 12 + 9 * size, 14 + 7 * size, 4, 3, (void *)f, (void *)m, (void *)u);
    show(u, 200);
    convolve(1, 3, 12 + 9 * size, 14 + 7 * size, 2, 3, (void *)f, (void *)m, (void *)(f + 60));
    show(t, 500);
  }
}
#endif
