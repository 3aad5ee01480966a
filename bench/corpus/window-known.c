// expect: rewritten, 4.9 times. A gradient with weights that are known, summed up in a local variable, column by
// column.
#include "corpus.h"
static const float Weights[3][3] = {{3, 10, 3}, {0, 0, 0}, {-3, -10, -3}};
KERNEL void kernel(const float *restrict a, float *restrict o, int w, int h) {
  for (int x = 1; x < w - 1; x++)
    for (int y = 1; y < h - 1; y++) {
      float s = 0;
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
          s += Weights[j][i] * a[(y + j - 1) * w + (x + i - 1)];
      o[y * w + x] = s / 16;
    }
}
int main(void) {
  float *a = new_floats(700 * 600, 1), *o = new_floats(700 * 600, 2);
  kernel(a, o, 700, 600);
  show(o, 700 * 600 * sizeof(float));
}
