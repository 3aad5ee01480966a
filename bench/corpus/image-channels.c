// expect: rewritten, 1.1 times. Filters of an image with several channels, along its rows and down its columns.
#include "corpus.h"
KERNEL void kernel(int h, int w, int channels, int taps, const float *in, const float *f, float *middle, float *out) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w - taps + 1; x++)
      for (int k = 0; k < channels; k++) {
        float s = 0;
        for (int d = 0; d < taps; d++) s += in[(y * w + x + d) * channels + k] * f[d];
        middle[(y * w + x) * channels + k] = s;
      }
  for (int y = 0; y < h - taps + 1; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < channels; k++) {
        float s = 0;
        for (int d = 0; d < taps; d++) s += middle[((y + d) * w + x) * channels + k] * f[d];
        out[(y * w + x) * channels + k] = s;
      }
}
int main(void) {
  int h = 600, w = 800, channels = 3, taps = 7, n = h * w * channels;
  float *in = malloc(n * sizeof *in), *middle = calloc(n, sizeof *middle), *out = calloc(n, sizeof *out), f[7];
  for (int k = 0; k < n; k++) in[k] = k * 37 % 251;
  for (int k = 0; k < 7; k++) f[k] = k * 5 % 7 / 8.f;
  kernel(h, w, channels, taps, in, f, middle, out);
  show(out, n * sizeof *out);
}
