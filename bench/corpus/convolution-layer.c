// expect: rewritten, 27 times. A layer of a convolution with a threshold: windows of known size, summed up in one
// another.
#include "corpus.h"
KERNEL void kernel(int o, int c, int h, int w, const float *restrict in, const float *restrict f, float *restrict out, const float *restrict bias) {
  for (int m = 0; m < o; m++)
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        float s = bias[m];
        for (int k = 0; k < c; k++)
          for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
              s += in[(k * (h + 2) + y + p) * (w + 2) + x + q] * f[((m * c + k) * 3 + p) * 3 + q];
        out[(m * h + y) * w + x] = s > 0 ? s : 0;
      }
}
int main(void) {
  float *in = new_floats(8 * 42 * 42, 1), *f = new_floats(8 * 8 * 9, 2), *out = new_floats(8 * 40 * 40, 3), *bias = new_floats(8, 4);
  kernel(8, 8, 40, 40, in, f, out, bias);
  show(out, 8 * 40 * 40 * sizeof *out);
}
