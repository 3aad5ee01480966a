// expect: rewritten, 2 times. A product that skips rows for a zero, as GSL.
#include "corpus.h"
KERNEL void kernel(int n1, int n2, int n3, float alpha, const float *f, int ldf, const float *g, int ldg, float *c, int ldc) {
  for (int k = 0; k < n3; k++)
    for (int i = 0; i < n1; i++) {
      const float temp = alpha * f[ldf * i + k];
      if (temp != 0.0)
        for (int j = 0; j < n2; j++)
          c[ldc * i + j] += temp * g[ldg * k + j];
    }
}
int main(void) {
  float *a = new_floats(300 * 300, 1), *b = new_floats(300 * 300, 2), *c = new_floats(300 * 300, 3);
  kernel(300, 290, 280, 1.5f, a, 300, b, 300, c, 300);
  show(c, 300 * 300 * sizeof *c);
  b[300 * 280 + 11] = 0.0f;
  kernel(300, 290, 280, 1.5f, a, 300, b, 300, c, 300);
  show(c, 300 * 300 * sizeof *c);
}
