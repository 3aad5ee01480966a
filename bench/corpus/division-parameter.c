// expect: kept. A picture enlarged by a factor that is a parameter.
#include "corpus.h"
KERNEL void kernel(int w, int h, int f, float *restrict o, const float *restrict a) {
  for (int x = 0; x < w * f; x++)
    for (int y = 0; y < h * f; y++)
      o[y * (w * f) + x] = a[(y / f) * w + x / f];
}
int main(void) {
  float *a = new_floats(100 * 100, 1), *o = new_floats(300 * 300, 2);
  kernel(100, 100, 3, o, a);
  show(o, 300 * 300 * sizeof *o);
}
