// expect: rewritten, 3.1 times. An image under a window of any size, summed up in a local variable.
#include "corpus.h"
KERNEL void kernel(const float *restrict in, const float *restrict w, float *restrict out, int height, int width, int size) {
  for (int y = 0; y < height - size + 1; y++)
    for (int x = 0; x < width - size + 1; x++) {
      float s = 0;
      for (int k = 0; k < size; k++)
        for (int l = 0; l < size; l++)
          s += in[(y + k) * width + x + l] * w[k * size + l];
      out[y * (width - size + 1) + x] = s;
    }
}
int main(void) {
  float *a = new_floats(700 * 600, 1), *w = new_floats(15 * 15, 2), *o = new_floats(700 * 600, 3);
  kernel(a, w, o, 600, 700, 15);
  show(o, 700 * 600 * sizeof(float));
}
