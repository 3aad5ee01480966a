// expect: rewritten, 3.6 times. A product whose innermost loop is asked to run in vectors.
#include "corpus.h"
KERNEL void kernel(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
#pragma clang loop vectorize(enable)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
int main(void) {
  double *a = new_doubles(150 * 150, 1), *b = new_doubles(150 * 150, 2), *c = new_doubles(150 * 150, 3);
  kernel(150, a, b, c);
  show(c, 150 * 150 * sizeof *c);
}
