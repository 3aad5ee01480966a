// expect: rewritten. Half of a parameter as bound, subscripts divided by a constant; interchanged from 4000 rows on.
#include "corpus.h"
KERNEL void kernel(int w, int h, float *restrict o, const float *restrict a) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++)
      o[y * w + x] = a[(y / 2) * (w / 2) + x / 2];
}
int main(void) {
  float *a = new_floats(2050 * 2050, 1), *o = new_floats(4100 * 4100, 2);
  kernel(4100, 4100, o, a);
  show(o, 4100 * 4100 * sizeof *o);
}
