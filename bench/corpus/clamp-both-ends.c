// expect: rewritten, 1.9 times. A vertical blur that is clamped at both ends, column by column, into a local sum.
#include "corpus.h"
static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
KERNEL void kernel(int w, int h, const float *restrict a, float *restrict o) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++) {
      float sum = 0;
      for (int d = -2; d <= 2; d++)
        sum += a[clamp(y + d, 0, h - 1) * w + x];
      o[y * w + x] = sum / 5;
    }
}
int main(void) {
  float *a = new_floats(700 * 500, 1), *o = new_floats(700 * 500, 2);
  int sizes[] = {700, 1, 2, 3, 0};
  for (int k = 0; k < 5; k++) {
    kernel(sizes[k], 500, a, o);
    kernel(500, sizes[k], a, o);
    show(o, 700 * 500 * sizeof(float));
  }
}
