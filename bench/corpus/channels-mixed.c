// expect: rewritten. Twelve channels mixed from four by a matrix that stays the same, as loudspeakers are fed.
#include "corpus.h"
KERNEL void kernel(int frames, const float *in, float mix[12][4], float *out) {
  for (int t = 0; t < frames; t++)
    for (int s = 0; s < 12; s++) {
      float a = 0;
      for (int k = 0; k < 4; k++) a += mix[s][k] * in[t * 4 + k];
      out[t * 12 + s] = a;
    }
}
int main(void) {
  int frames = 3000;
  float *in = malloc(4 * frames * sizeof *in), (*mix)[4] = malloc(12 * sizeof *mix), *out = calloc(12 * frames, sizeof *out);
  for (int k = 0; k < 4 * frames; k++) in[k] = k * 37 % 101 / 8.0f;
  for (int k = 0; k < 48; k++) mix[k / 4][k % 4] = k * 7 % 61 / 9.0f;
  kernel(frames, in, mix, out);
  show(out, 12 * frames * sizeof *out);
}
