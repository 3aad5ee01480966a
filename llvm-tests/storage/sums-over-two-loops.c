// A filter of bytes adds up integers over two loops, or numbers: the sum is handed on from loop to loop under several
// names, all of which live in one element of an array for strips of the image. The length of the window is no size of
// the image, in strips either.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -Xclang -load -Xclang %plugin -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-print-after=ast -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=AST
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -o %t.new
// RUN: %t.new | diff %t.expected -

typedef unsigned char byte;

// Four statements: two that begin, one that adds, one that stores.
// AST: Stmt3
// AST-NOT: Stmt4
// CHECK: :[[@LINE+2]]:3: remark: loops reordered: distributed, scalars in arrays for strips of 32x128, vectorizable, interchanged
void filter(int h, int w, int size, const byte *in, const int *f, byte *out) {
  for (int y = 0; y < h - size + 1; y++)
    for (int x = 0; x < w - size + 1; x++) {
      int s = 0;
      for (int e = 0; e < size; e++)
        for (int d = 0; d < size; d++) s += in[(y + e) * w + x + d] * f[e * size + d];
      s >>= 8;
      out[y * w + x] = s < 0 ? 0 : s > 255 ? 255 : s;
    }
}

// CHECK: :[[@LINE+3]]:3: remark: loops reordered: distributed, scalars in arrays for strips of
void around(int h, int w, int r, const byte *in, const float *f, byte *out) {
  int size = 2 * r + 1;
  for (int y = r; y < h - r; y++)
    for (int x = r; x < w - r; x++) {
      float s = 0.5f;
      for (int e = -r; e <= r; e++)
        for (int d = -r; d <= r; d++) s += in[(y + e) * w + x + d] * f[(e + r) * size + d + r];
      out[y * w + x] = (byte)s;
    }
}

#ifdef MAIN
#include <stdio.h>

static byte in[100 * 300], out[100 * 300];
static int f[81];
static float g[81];

int main(void) {
  for (int k = 0; k < 100 * 300; k++) in[k] = k * 37 % 101;
  for (int k = 0; k < 81; k++) f[k] = k * 37 % 29 - 3, g[k] = (float)(k % 7) / 256;
  for (int h = 1; h <= 100; h += 33)
    for (int w = 1; w <= 300; w += w < 8 ? 1 : 97)
      for (int size = 0; size <= 9; size++) {
        filter(h, w, size, in, f, out);
        around(h, w, size / 2, in, g, out);
        unsigned sum = 0;
        for (int k = 0; k < 100 * 300; k++) sum = sum * 31 + out[k];
        // In place.
        filter(h, w, size, out, f, out);
        for (int k = 0; k < 100 * 300; k++) sum = sum * 31 + out[k];
        printf("%d %d %d %u\n", h, w, size, sum);
      }
}
#endif
