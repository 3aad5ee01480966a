// Images that are enlarged: subscripts are quotients. LLVM does not test at run time whether what moves on in every
// fourth iteration overlaps what is written, so that the original runs one by one; new loops do not where four of them
// read the same. Where vectors are put together element by element, the original is kept for what is little to compute.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -gline-tables-only -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s
// RUN: %clang -O3 -DMAIN -march=x86-64-v3 -ffp-contract=off %s -o %t.old && %t.old > %t.expected
// RUN: %clang -O3 -DMAIN -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.new \
// RUN:   && %t.new | diff - %t.expected
// RUN: %clang -O3 -DMAIN -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable \
// RUN:   -mllvm -polyrs-fatal-bugs %s -o %t.any && %t.any | diff - %t.expected

#include <stdio.h>
#include <stdlib.h>

#define FN __attribute__((noinline)) void

// CHECK: enlarged.c:[[#@LINE+2]]:3: remark: loops reordered
FN by_four(int h, int w, const int *a, int *out) {
  for (int i = 0; i < 4 * h; i++)
    for (int j = 0; j < 4 * w; j++)
      out[i * (long)(4 * w) + j] = a[i / 4 * (long)w + j / 4] * 3 + j % 4;
}

// Between four elements, whose values are the same in all arms.
// CHECK: enlarged.c:[[#@LINE+2]]:3: remark: loops reordered
FN between(int h, int w, int a[][64], int (*out)[4 * 64]) {
  for (int i = 0; i < 4 * h; i++)
    for (int j = 0; j < 4 * w; j++) {
      int y = i / 4, x = j / 4;
      float dy = i / 4.0f - y, dx = j / 4.0f - x;
      if (x + 1 < w && y + 1 < h)
        out[i][j] = a[y][x] * (1 - dy) * (1 - dx) + a[y][x + 1] * (1 - dy) * dx + a[y + 1][x] * dy * (1 - dx) +
                    a[y + 1][x + 1] * dy * dx;
      else if (x + 1 < w)
        out[i][j] = a[y][x] * (1 - dx) * (1 - dy) + a[y][x + 1] * dx * (1 - dy);
      else
        out[i][j] = a[y][x] * (1 - dx) * (1 - dy);
    }
}

// CHECK: enlarged.c:[[#@LINE+2]]:3: remark: order of the loops kept
FN by_three(int h, int w, const int *a, int *out) {
  for (int i = 0; i < 3 * h; i++)
    for (int j = 0; j < 3 * w; j++)
      out[i * (long)(3 * w) + j] = a[i / 3 * (long)w + j / 3];
}

// CHECK: enlarged.c:[[#@LINE+2]]:3: remark: order of the loops kept
FN bytes_by_two(int h, int w, const unsigned char *a, unsigned char *out) {
  for (int i = 0; i < 2 * h; i++)
    for (int j = 0; j < 2 * w; j++)
      out[i * (long)(2 * w) + j] = a[i / 2 * (long)w + j / 2] * 3 + j % 2;
}

// Conditions at the borders leave a loop of three iterations one of three: LLVM makes straight code of it and runs the
// loop around in vectors.
// CHECK: enlarged.c:[[#@LINE+2]]:3: remark: order of the loops kept
FN dilated(int height, int width, int in[1024][1024], int (*out)[1024], int (*rows)[1024]) {
  for (int i = 0; i < height; i++)
    for (int j = 0; j < width; j++) {
      int value = 0;
      for (int k = -1; k <= 1; k++)
        if (j + k > 0 && j + k < width)
          value = in[i][j + k] > value ? in[i][j + k] : value;
      rows[i][j] = value;
    }
  for (int i = 0; i < height; i++)
    for (int j = 0; j < width; j++) {
      int value = 0;
      for (int k = -1; k <= 1; k++)
        if (i + k > 0 && i + k < height)
          value = rows[i + k][j] > value ? rows[i + k][j] : value;
      out[i][j] = value;
    }
}

#ifdef MAIN
static int in[1024][1024], out[1024][1024], rows[1024][1024];

static void show(const void *p, long n) {
  unsigned long hash = 1;
  for (long k = 0; k < n; k++)
    hash = hash * 31 + ((const unsigned char *)p)[k];
  printf("%lx\n", hash);
}

int main(void) {
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 1024; j++)
      in[i][j] = (i * 37 + j * 101) % 253;
  for (int h = 0; h < 40; h += 7)
    for (int w = 1; w < 50; w += 6) {
      by_four(h, w, in[0], out[0]), show(out, 16L * h * w * 4);
      between(h, w, (int(*)[64])in[3], (int(*)[256])out[0]), show(out, 16L * h * 64 * 4);
      by_three(h, w, in[1], out[0]), show(out, 9L * h * w * 4);
      bytes_by_two(h, w, (unsigned char *)in[2], (unsigned char *)out[0]), show(out, 4L * h * w);
      dilated(h, w, in, out, rows), show(out, 1024L * 64 * 4);
    }
  return 0;
}
#endif
