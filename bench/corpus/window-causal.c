// expect: rewritten, 5 times. A window over what came before, of few channels: how far it goes back is a parameter.
#include "corpus.h"
KERNEL void kernel(const float *x, const float *w, float *y, int length, int in, int out, int size) {
  for (int o = 0; o < out; o++)
    for (int t = size - 1; t < length; t++) {
      float s = 0;
      for (int c = 0; c < in; c++)
        for (int j = 0; j < size; j++)
          s += x[c * length + t - j] * w[(o * in + c) * size + j];
      y[o * length + t] = s;
    }
}
int main(void) {
  int length = 9000, in = 4, out = 8, size = 5;
  float *x = malloc(in * length * sizeof *x), *w = malloc(out * in * size * sizeof *w), *y = calloc(out * length, sizeof *y);
  for (int k = 0; k < in * length; k++) x[k] = k * 37 % 101 / 8.0f;
  for (int k = 0; k < out * in * size; k++) w[k] = k * 7 % 61 / 9.0f;
  kernel(x, w, y, length, in, out, size);
  show(y, out * length * sizeof *y);
}
