// Convolutions of images of which all sizes are parameters, those of the windows too, and how far these reach over the
// border: sizes of the image are asked for, and none of the windows, which are small. With the border tested for each
// element (padded) the sum is one scalar for all loops that it runs through; the flow between one for each value took
// more steps than there are.

// RUN: %clang -O3 -march=x86-64-v3 -g1 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -Rpass=polyrs -Rpass-missed=polyrs -Rpass-analysis=polyrs %s -o %t.new 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.old
// RUN: %t.old > %t.expected
// RUN: %t.new | diff %t.expected -

#include <stdio.h>
#include <stdlib.h>

#define KERNEL __attribute__((noinline)) void

// CHECK: convolution-sizes.c:[[#@LINE+4]]:{{.*}} loops reordered:
// CHECK: it pays where argument 8 >= 1 and argument 6 >= 1 and argument 7 >= 24 (
KERNEL inside(const float *restrict image, const float *restrict weights, const float *restrict bias,
              float *restrict out, int planes, int height, int width, int windows, int size) {
  for (int k = 0; k < windows; k++)
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        float s = bias[k];
        for (int c = 0; c < planes; c++)
          for (int p = 0; p < size; p++)
            for (int q = 0; q < size; q++)
              s += image[(c * (height + size) + y + p) * (width + size) + x + q] *
                   weights[((k * planes + c) * size + p) * size + q];
        out[(k * height + y) * width + x] = s > 0 ? s : 0;
      }
}

// CHECK-NOT: not mapped
// CHECK: convolution-sizes.c:[[#@LINE+4]]:{{.*}} loops reordered:
// CHECK: it pays where argument 8 >= 1 and argument 6 >= 3 and argument 7 >= 24 (
KERNEL padded(const float *restrict image, const float *restrict weights, const float *restrict bias,
              float *restrict out, int planes, int height, int width, int windows, int size, int pad) {
  for (int k = 0; k < windows; k++)
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        float s = bias[k];
        for (int c = 0; c < planes; c++)
          for (int p = 0; p < size; p++)
            for (int q = 0; q < size; q++) {
              int row = y + p - pad, column = x + q - pad;
              if (row >= 0 && row < height && column >= 0 && column < width)
                s += image[(c * height + row) * width + column] * weights[((k * planes + c) * size + p) * size + q];
            }
        out[(k * height + y) * width + x] = s > 0 ? s : 0;
      }
}

static float *fresh(long n, int seed) {
  float *all = malloc(n * sizeof *all);
  for (long i = 0; i < n; i++)
    all[i] = (float)((i * 37 + seed * 101) % 1009) / 7 - 70;
  return all;
}

static void run(int planes, int height, int width, int windows, int size, int pad) {
  float *image = fresh(planes * (height + size) * (width + size) + 1L, 1);
  float *weights = fresh(windows * planes * size * size + 1L, 2), *bias = fresh(windows, 3);
  float *out = fresh((long)windows * height * width, 4);
  double sum = 0;
  inside(image, weights, bias, out, planes, height, width, windows, size);
  for (long i = 0; i < (long)windows * height * width; i++)
    sum += out[i] * (i % 17 + 1);
  padded(image, weights, bias, out, planes, height, width, windows, size, pad);
  for (long i = 0; i < (long)windows * height * width; i++)
    sum += out[i] * (i % 19 + 1);
  printf("%a\n", sum);
  free(image), free(weights), free(bias), free(out);
}

int main(void) {
  run(3, 30, 26, 4, 3, 1);
  run(2, 5, 64, 3, 5, 2);
  run(1, 24, 24, 1, 1, 0);
  run(4, 25, 31, 2, 4, 9);
  run(2, 24, 40, 2, 3, -2);
  run(0, 24, 24, 2, 3, 1);
  run(2, 24, 24, 2, 0, 1);
  run(3, 9, 9, 2, 3, 1);
}
