// expect: rewritten, 3.8 times. Unsigned sizes, bounds one below them.
#include "corpus.h"
KERNEL void kernel(unsigned w, unsigned h, float *restrict o, const float *restrict a) {
  for (unsigned x = 1; x < w - 1; x++)
    for (unsigned y = 1; y < h - 1; y++)
      o[y * w + x] = a[(y - 1) * w + x] + a[(y + 1) * w + x] + a[y * w + x - 1] + a[y * w + x + 1];
}
int main(void) {
  float *a = new_floats(500 * 400, 1), *o = new_floats(500 * 400, 2);
  kernel(500, 400, o, a);
  show(o, 500 * 400 * sizeof(float));
}
