// expect: rewritten, 3.5 times. How many set bytes are above each one of an image, column by column.
#include "corpus.h"
KERNEL void kernel(const unsigned char *image, unsigned *above, size_t width, size_t height) {
  for (size_t x = 0; x < width; x++) {
    unsigned count = 0;
    for (size_t y = 0; y < height; y++) {
      count += image[y * width + x] & 1;
      above[y * width + x] = count;
    }
  }
}
int main(void) {
  unsigned char *a = new_bytes(600 * 500, 1);
  unsigned *o = malloc(600 * 500 * sizeof(unsigned));
  kernel(a, o, 600, 500);
  show(o, 600 * 500 * sizeof(unsigned));
}
