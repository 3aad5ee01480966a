// expect: rewritten, 13 times. A sum that is scaled and added to what was in the element.
#include "corpus.h"
KERNEL void kernel(int n, double x, double z, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = x * s + z * c[i * n + j];
    }
}
int main(void) {
  double *a = new_doubles(170 * 170, 1), *b = new_doubles(170 * 170, 2), *c = new_doubles(170 * 170, 3);
  kernel(170, 1.5, 0.75, a, b, c);
  show(c, 170 * 170 * sizeof *c);
}
