// expect: rewritten, 3.7 times. One of several images, by a pointer to its first row.
#include "corpus.h"
KERNEL void kernel(float *restrict out, const float *restrict in, unsigned long c, unsigned long h, unsigned long w) {
  const float *p = in + c * h * w;
  float *q = out + c * h * w;
  for (unsigned long x = 0; x < w; x++)
    for (unsigned long y = 0; y < h; y++)
      q[y * w + x] = 2 * p[y * w + x];
}
int main(void) {
  float *a = new_floats(3 * 90 * 128, 1), *o = new_floats(3 * 90 * 128, 2);
  kernel(o, a, 1, 90, 128);
  kernel(o, a, 2, 90, 128);
  // The product of these is a multiple of 2^64: image 0.
  kernel(o, a, 1ul << 57, 64, 128);
  show(o, 3 * 90 * 128 * sizeof *o);
}
