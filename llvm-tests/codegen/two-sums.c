// Sums over two and three loops: dependences between iterations of the inner ones go back by any distance, so that each
// has a band of its own; loops without any distance go into the innermost one, where they make a product, or run in
// vectors. The local sum is in memory then, also past loops that may run no iteration at all.
//
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -gline-tables-only \
// RUN:   -Rpass=polyrs %s -o %t.new 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-verify-ast \
// RUN:   -mllvm -polyrs-process-unprofitable %s -o %t.forced
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: %t.forced > %t.forced.txt
// RUN: diff %t.old.txt %t.new.txt
// RUN: diff %t.old.txt %t.forced.txt

#include <stdint.h>
#include <stdio.h>

#define KERNEL __attribute__((noinline))

// Two contracted indices of lengths that are not known, either of which may be zero.
KERNEL void contracted(const float *restrict a, const float *restrict b, float *restrict out, int n, int m, int p, int q) {
  // CHECK-DAG: two-sums.c:[[#@LINE+1]]:3: {{.*}}loops reordered: {{.*}}packed for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float s = 0;
      for (int k = 0; k < p; k++)
        for (int l = 0; l < q; l++)
          s += a[(i * p + k) * q + l] * b[(j * p + k) * q + l];
      out[i * m + j] = s;
    }
}

// In memory from the beginning.
KERNEL void in_memory(double a[restrict 64][8][30], double b[restrict 8][30][96], double out[restrict 64][96]) {
  // CHECK-DAG: two-sums.c:[[#@LINE+1]]:3: {{.*}}loops reordered: {{.*}}packed for
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 96; j++)
      for (int k = 0; k < 8; k++)
        for (int l = 0; l < 30; l++)
          out[i][j] += a[i][k][l] * b[k][l][j];
}

// A convolution by a window of any size: the loop along a row runs innermost.
KERNEL void window(const float *restrict in, const float *restrict w, float *restrict out, int height, int width, int size) {
  // CHECK-DAG: two-sums.c:[[#@LINE+1]]:3: {{.*}}loops reordered: {{.*}}interchanged
  for (int y = 0; y < height - size + 1; y++)
    for (int x = 0; x < width - size + 1; x++) {
      float s = 0;
      for (int k = 0; k < size; k++)
        for (int l = 0; l < size; l++)
          s += in[(y + k) * width + x + l] * w[k * size + l];
      out[y * (width - size + 1) + x] = s;
    }
}

// The layer of a network.
KERNEL void layer(int ci, int co, int h, int w, int size, const float *restrict in, const float *restrict wt, const float *restrict bias,
                  float *restrict out) {
  int oh = h - size + 1, ow = w - size + 1;
  // CHECK-DAG: two-sums.c:[[#@LINE+1]]:3: {{.*}}loops reordered: {{.*}}vectorizable
  for (int o = 0; o < co; o++)
    for (int y = 0; y < oh; y++)
      for (int x = 0; x < ow; x++) {
        float s = bias[o];
        for (int c = 0; c < ci; c++)
          for (int ky = 0; ky < size; ky++)
            for (int kx = 0; kx < size; kx++)
              s += in[(c * h + y + ky) * w + x + kx] * wt[((o * ci + c) * size + ky) * size + kx];
        out[(o * oh + y) * ow + x] = s > 0 ? s : 0;
      }
}

// Each sum begins with what the one before left: no loop is without a distance, and all stay where they are.
KERNEL void chained(const float *restrict in, const float *restrict w, float *restrict out, int n, int size) {
  float s = 0;
  for (int x = 0; x < n; x++) {
    for (int k = 0; k < size; k++)
      for (int l = 0; l < size; l++)
        s += in[x + k] * w[k * size + l];
    out[x] = s;
  }
}

static float f[3][70000];
static double d[3][24000];

static void fill(void) {
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 70000; i++) {
      f[a][i] = (float)((i * 37 + a * 53) % 101) / 8 - 3;
      d[a][i % 24000] = (i * 7 + a) % 10 / 10.0 - (i * 37 % 101) / 8.0;
    }
}

static void look(void) {
  uint32_t h = 0;
  for (int i = 0; i < 70000; i++) {
    uint32_t x;
    __builtin_memcpy(&x, &f[2][i], 4);
    h = h * 31 + x;
  }
  for (int i = 0; i < 64 * 96; i++) {
    uint64_t x;
    __builtin_memcpy(&x, &d[2][i], 8);
    h = h * 31 + (uint32_t)(x ^ x >> 32);
  }
  printf("%08x\n", h);
}

int main(void) {
  static const int sizes[][4] = {{40, 50, 30, 40}, {24, 30, 30, 0}, {30, 24, 0, 30}, {1, 70, 2, 300}, {100, 100, 3, 100}, {0, 3, 3, 3}};
  for (int i = 0; i < 6; i++) {
    fill();
    contracted(f[0], f[1], f[2], sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3]);
    look();
  }
  fill();
  in_memory((void *)d[0], (void *)d[1], (void *)d[2]);
  look();
  static const int windows[][3] = {{200, 300, 31}, {100, 60, 3}, {30, 30, 30}, {40, 40, 0}, {20, 20, 25}, {100, 120, 24}};
  for (int i = 0; i < 6; i++) {
    fill();
    window(f[0], f[1], f[2], windows[i][0], windows[i][1], windows[i][2]);
    look();
    fill();
    layer(i + 1, 3, windows[i][0] / 4, windows[i][1] / 4, windows[i][2] / 5, f[0], f[1], f[1] + 1000, f[2]);
    look();
    fill();
    chained(f[0], f[1], f[2], windows[i][0], windows[i][2]);
    look();
  }
}
