// expect: rewritten, 1.5 times. An image enlarged by four: values between four elements, fewer at the borders.
#include "corpus.h"
KERNEL void kernel(int h, int w, const float *in, float *out) {
  for (int i = 0; i < 4 * h; i++)
    for (int j = 0; j < 4 * w; j++) {
      int y = i / 4, x = j / 4;
      float dy = i / 4.0f - y, dx = j / 4.0f - x;
      if (x + 1 < w && y + 1 < h)
        out[i * 4 * w + j] = (in[y * w + x] * (1 - dx) + in[y * w + x + 1] * dx) * (1 - dy) +
                             (in[(y + 1) * w + x] * (1 - dx) + in[(y + 1) * w + x + 1] * dx) * dy;
      else
        out[i * 4 * w + j] = in[y * w + x] * (1 - dx) * (1 - dy);
    }
}
int main(void) {
  int h = 150, w = 200;
  float *in = malloc(h * w * sizeof *in), *out = calloc(16 * h * w, sizeof *out);
  for (int k = 0; k < h * w; k++) in[k] = k * 37 % 251;
  kernel(h, w, in, out);
  show(out, 16 * h * w * sizeof *out);
}
