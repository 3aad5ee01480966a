// expect: rewritten, 3 times. Colours at half the size, behind the brightness of an image, column by column.
#include "corpus.h"
KERNEL void kernel(const unsigned char *in, unsigned char *image, int w, int h) {
  unsigned char *colours = image + w * h;
  for (int x = 0; x < w / 2; x++)
    for (int y = 0; y < h / 2; y++)
      colours[y * (w / 2) + x] = (in[2 * y * w + 2 * x] + in[2 * y * w + 2 * x + 1] + in[(2 * y + 1) * w + 2 * x]
                                  + in[(2 * y + 1) * w + 2 * x + 1] + 2) / 4;
}
int main(void) {
  int w = 800, h = 600;
  unsigned char *in = malloc(w * h), *image = calloc(w * h, 2);
  for (int k = 0; k < w * h; k++) in[k] = k * 37 % 251;
  kernel(in, image, w, h);
  show(image, w * h * 2);
}
