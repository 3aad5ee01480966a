// expect: rewritten, 6 times. Two sums of one loop that one element gets.
#include "corpus.h"
KERNEL void kernel(int n, const float *restrict a, const float *restrict b, const float *restrict d, float *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0, t = 0;
      for (int k = 0; k < n; k++) {
        s += a[i * n + k] * b[k * n + j];
        t += a[i * n + k] * d[k * n + j];
      }
      c[i * n + j] = s / (1 + t * t);
    }
}
int main(void) {
  float *a = new_floats(170 * 170, 1), *b = new_floats(170 * 170, 2), *c = new_floats(170 * 170, 3);
  float *d = new_floats(170 * 170, 4);
  kernel(170, a, b, d, c);
  show(c, 170 * 170 * sizeof *c);
}
