// expect: rewritten. Half of a parameter as bound, subscripts divided by a constant; interchanged from 4000 rows on.
#include "corpus.h"
KERNEL void kernel(int w, int h, float *restrict o, const float *restrict a) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++)
      o[y * w + x] = a[(y / 2) * (w / 2) + x / 2];
}
int main(void) {
  float *a = new_floats(150 * 150, 1), *o = new_floats(300 * 300, 2);
  kernel(300, 300, o, a);
  show(o, 300 * 300 * sizeof *o);
}
