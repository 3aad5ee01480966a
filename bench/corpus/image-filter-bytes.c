// expect: rewritten, 3 times. A filter of an image of bytes, whose sums are integers, cut off at the ends of a byte.
#include "corpus.h"
KERNEL void kernel(int h, int w, int size, const unsigned char *in, const int *f, unsigned char *out) {
  for (int y = 0; y < h - size + 1; y++)
    for (int x = 0; x < w - size + 1; x++) {
      int s = 0;
      for (int e = 0; e < size; e++)
        for (int d = 0; d < size; d++)
          s += in[(y + e) * w + x + d] * f[e * size + d];
      s >>= 10;
      out[y * w + x] = s < 0 ? 0 : s > 255 ? 255 : s;
    }
}
int main(void) {
  int h = 600, w = 800, size = 5;
  unsigned char *in = malloc(h * w), *out = calloc(h, w);
  int f[25];
  for (int k = 0; k < h * w; k++) in[k] = k * 37 % 251;
  for (int k = 0; k < 25; k++) f[k] = k * 7 % 61 - 9;
  kernel(h, w, size, in, f, out);
  show(out, h * w);
}
