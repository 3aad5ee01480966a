// A convolution of planes of an image with many windows: few planes, or few lines, gain as large images do. How many
// windows there are and how large they are is asked as where nothing is thin.

// RUN: %clang -O3 -march=x86-64-v3 -fno-discard-value-names -fpass-plugin=%plugin -S -emit-llvm %s -o %t.ll
// RUN: %opt -internalize-public-api-list=colours -passes=internalize,ipsccp,simplifycfg,globaldce -S %t.ll | FileCheck %s --check-prefix=COLOURS
// RUN: %opt -internalize-public-api-list=small -passes=internalize,ipsccp,simplifycfg,globaldce -S %t.ll | FileCheck %s --check-prefix=SMALL
// RUN: %clang -O3 -march=x86-64-v3 %s -DMAIN -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 %s -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -o %t.new
// RUN: %t.new | diff %t.expected -

#include <stdio.h>

// COLOURS-LABEL: define {{.*}} @convolution(
// COLOURS: call {{.*}}@convolution.polyrs
// SMALL-LABEL: define {{.*}} @convolution(
// SMALL-NOT: call {{.*}}@convolution.polyrs
__attribute__((noinline)) void convolution(long planes, long height, long width, long windows, long size,
                                           const float *restrict image, const float *restrict weights,
                                           float *restrict out) {
  long rows = height - size + 1, columns = width - size + 1;
  for (long k = 0; k < windows; k++)
    for (long y = 0; y < rows; y++)
      for (long x = 0; x < columns; x++) {
        float s = 0;
        for (long c = 0; c < planes; c++)
          for (long p = 0; p < size; p++)
            for (long q = 0; q < size; q++)
              s += image[(c * height + y + p) * width + x + q] * weights[((k * planes + c) * size + p) * size + q];
        out[(k * rows + y) * columns + x] = s;
      }
}

void colours(const float *restrict image, const float *restrict weights, float *restrict out) {
  convolution(3, 224, 224, 8, 3, image, weights, out);
}

void small(const float *restrict image, const float *restrict weights, float *restrict out) {
  convolution(3, 16, 16, 8, 3, image, weights, out);
}

#ifdef MAIN
static float image[3 * 224 * 224], weights[8 * 16 * 49], out[8 * 224 * 224];

int main(void) {
  for (int i = 0; i < 3 * 224 * 224; i++)
    image[i] = (i * 7 + i / 11) % 97 - 48;
  for (int i = 0; i < 8 * 16 * 49; i++)
    weights[i] = 1.0f / (1 + i % 13);
  const long sizes[][5] = {{3, 224, 224, 8, 3}, {3, 16, 16, 8, 3}, {3, 64, 66, 3, 5}, {16, 5, 64, 4, 3}, {4, 64, 64, 2, 7}};
  for (int k = 0; k < 5; k++) {
    const long *of = sizes[k];
    convolution(of[0], of[1], of[2], of[3], of[4], image, weights, out);
    double sum = 0;
    for (int i = 0; i < 8 * 100; i++)
      sum = sum / 2 + out[i * 7 % 397];
    printf("%a\n", sum);
  }
}
#endif
