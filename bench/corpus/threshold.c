// expect: rewritten, 2 times. Stores under a condition on the data.
#include "corpus.h"
KERNEL void kernel(float *restrict o, const float *restrict a, int w, int h) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++)
      if (a[y * w + x] > 0.5f)
        o[y * w + x] += 1;
}
int main(void) {
  float *a = new_floats(300 * 200, 1), *o = new_floats(300 * 200, 2);
  kernel(o, a, 300, 200);
  show(o, 300 * 200 * sizeof *o);
}
