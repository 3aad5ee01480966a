// expect: rewritten. A picture turned to the left, with unsigned coordinates.
#include "corpus.h"
KERNEL void kernel(const uint32_t *pixels, uint32_t *turned, unsigned width, unsigned height) {
  for (unsigned row = 0; row < height; row++)
    for (unsigned col = 0; col < width; col++)
      turned[col * height + (height - 1 - row)] = pixels[row * width + col];
}
int main(void) {
  uint32_t *a = (uint32_t *)new_ints(1200 * 1000, 1), *o = (uint32_t *)new_ints(1200 * 1000, 2);
  kernel(a, o, 1200, 1000);
  show(o, 1200 * 1000 * sizeof(uint32_t));
}
