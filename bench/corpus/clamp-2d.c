// expect: kept. A box filter clamped in both directions, inner loops over the window.
#include "corpus.h"
static int clamp(int v, int hi) { return v < 0 ? 0 : v > hi ? hi : v; }
KERNEL void kernel(int w, int h, float *restrict o, const float *restrict a) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++)
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          o[y * w + x] += a[clamp(y + dy, h - 1) * w + clamp(x + dx, w - 1)];
}
int main(void) {
  float *a = new_floats(300 * 200, 1), *o = new_floats(300 * 200, 2);
  kernel(300, 200, o, a);
  show(o, 300 * 200 * sizeof(float));
}
