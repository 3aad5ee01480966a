// Loops over batches of images, matrices and sequences, all sizes of which are parameters: only those sizes are asked
// for that new code gains by. One image, one matrix or one row is enough where what is done with it is long. Windows
// are short, whatever they are called: in the gradient of the weights their elements are what is written.

// RUN: %clang -O3 -march=x86-64-v3 -g1 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -Rpass=polyrs -Rpass-missed=polyrs -Rpass-analysis=polyrs %s -o %t.new 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.old
// RUN: %t.old > %t.expected
// RUN: %t.new | diff %t.expected -

#include <stdio.h>
#include <stdlib.h>

#define KERNEL __attribute__((noinline)) void
#define ARRAYS const float *restrict in, const float *restrict w, const float *restrict v, float *restrict out

// The sum is one scalar for each of the loops that it runs through: eleven, of which the flow took too long.
// CHECK-NOT: not mapped
// CHECK: batches.c:[[#@LINE+3]]:{{.*}} loops reordered:
// CHECK: it pays where argument 1 >= 1 and argument 3 >= 3 and argument 4 >= 24 (
KERNEL convolution(int n, int c, int h, int w_, int k, int r, ARRAYS) {
  for (int b = 0; b < n; b++)
    for (int f = 0; f < k; f++)
      for (int y = 0; y < h - r + 1; y++)
        for (int x = 0; x < w_ - r + 1; x++) {
          float s = v[f];
          for (int d = 0; d < c; d++)
            for (int p = 0; p < r; p++)
              for (int q = 0; q < r; q++)
                s += in[((b * c + d) * h + y + p) * w_ + x + q] * w[((f * c + d) * r + p) * r + q];
          out[((b * k + f) * (h - r + 1) + y) * (w_ - r + 1) + x] = s;
        }
}

// Every second row and column.
// CHECK: batches.c:[[#@LINE+4]]:{{.*}} loops reordered:
// CHECK: it pays where argument 1 >= 1 and argument 5 >= 1 and (argument 3 - argument 6) / 2 >= 1 and (argument 4 - argument 6) / 2 >= 8 and argument 2 >= 1 (
KERNEL strided(int n, int c, int h, int w_, int k, int r, ARRAYS) {
  int rows = (h - r) / 2 + 1, columns = (w_ - r) / 2 + 1;
  for (int b = 0; b < n; b++)
    for (int f = 0; f < k; f++)
      for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
          float s = 0;
          for (int d = 0; d < c; d++)
            for (int p = 0; p < r; p++)
              for (int q = 0; q < r; q++)
                s += in[((b * c + d) * h + 2 * y + p) * w_ + 2 * x + q] * w[((f * c + d) * r + p) * r + q];
          out[((b * k + f) * rows + y) * columns + x] = s;
        }
}

// Channels last: a product for each element of the window, with lengths of its own.
// CHECK: batches.c:[[#@LINE+3]]:{{.*}} loops reordered:
// CHECK: it pays where argument 1 >= 1 and argument 3 >= 3 and argument 4 >= {{[48]}} and argument 5 >= {{[48]}} and {{(argument 2 >= 1 and )?}}argument 6 * argument 2 >= 3 (
KERNEL channels_last(int n, int c, int h, int w_, int k, int r, ARRAYS) {
  for (int b = 0; b < n; b++)
    for (int y = 0; y < h - r + 1; y++)
      for (int x = 0; x < w_ - r + 1; x++)
        for (int f = 0; f < k; f++) {
          float s = 0;
          for (int p = 0; p < r; p++)
            for (int q = 0; q < r; q++)
              for (int d = 0; d < c; d++)
                s += in[((b * h + y + p) * w_ + x + q) * c + d] * w[((f * r + p) * r + q) * c + d];
          out[((b * (h - r + 1) + y) * (w_ - r + 1) + x) * k + f] = s;
        }
}

// CHECK: batches.c:[[#@LINE+2]]:{{.*}} loops reordered:
KERNEL by_channel(int n, int c, int h, int w_, int k, int r, ARRAYS) {
  for (int b = 0; b < n; b++)
    for (int d = 0; d < c; d++)
      for (int y = 0; y < h - r + 1; y++)
        for (int x = 0; x < w_ - r + 1; x++) {
          float s = 0;
          for (int p = 0; p < r; p++)
            for (int q = 0; q < r; q++)
              s += in[((b * c + d) * h + y + p) * w_ + x + q] * w[(d * r + p) * r + q];
          out[((b * c + d) * (h - r + 1) + y) * (w_ - r + 1) + x] = s;
        }
}

// CHECK: batches.c:[[#@LINE+2]]:{{.*}} loops reordered:
KERNEL of_weights(int n, int c, int h, int w_, int k, int r, ARRAYS) {
  for (int b = 0; b < n; b++)
    for (int f = 0; f < k; f++)
      for (int d = 0; d < c; d++)
        for (int p = 0; p < r; p++)
          for (int q = 0; q < r; q++)
            for (int y = 0; y < h - r + 1; y++)
              for (int x = 0; x < w_ - r + 1; x++)
                out[((f * c + d) * r + p) * r + q] += in[((b * c + d) * h + y + p) * w_ + x + q] *
                                                      w[((b * k + f) * (h - r + 1) + y) * (w_ - r + 1) + x];
}

// CHECK: batches.c:[[#@LINE+3]]:{{.*}} loops reordered:
// CHECK: it pays where argument 1 >= 1 and argument 3 >= 4 and argument 4 >= 4 and argument 5 >= 3 (
KERNEL products(int n, int c, int h, int w_, int k, int r, ARRAYS) {
  for (int b = 0; b < n; b++)
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w_; j++) {
        float s = 0;
        for (int l = 0; l < k; l++)
          s += in[(b * h + i) * k + l] * w[(b * k + l) * w_ + j];
        out[(b * h + i) * w_ + j] = s;
      }
}

typedef void (*Kernel)(int, int, int, int, int, int, ARRAYS);

static void run(int n, int c, int h, int w, int k, int r) {
  const Kernel all[] = {convolution, strided, channels_last, by_channel, of_weights, products};
  long count = 1L * n * (c + k + 1) * (h + k + 1) * (w + k + 1) + 1L * c * k * r * r;
  float *data[4];
  for (int a = 0; a < 4; a++) {
    data[a] = malloc(count * sizeof(float));
    for (long i = 0; i < count; i++)
      data[a][i] = (float)((i * 37 + a * 101) % 1009) / 7 - 70;
  }
  for (int a = 0; a < 6; a++) {
    double sum = 0;
    all[a](n, c, h, w, k, r, data[0], data[1], data[2], data[3]);
    for (long i = 0; i < count; i++)
      sum += data[3][i] * (i % 17 + 1);
    printf("%a\n", sum);
  }
  for (int a = 0; a < 4; a++)
    free(data[a]);
}

int main(void) {
  run(1, 3, 28, 30, 4, 3);
  run(2, 24, 26, 26, 24, 3);
  run(1, 25, 9, 70, 27, 1);
  run(3, 1, 27, 29, 2, 5);
  run(26, 2, 7, 24, 3, 2);
  run(1, 1, 3, 64, 1, 3);
  run(2, 3, 24, 24, 0, 3);
  run(2, 2, 4, 30, 2, 6);
}
