// expect: rewritten, 1.3 times. A matrix times a vector with a scaled sum: each sum goes along a row, rows are lanes of
// vectors.
#include "corpus.h"
KERNEL void kernel(int n, double x, double z, const double *restrict a, const double *restrict b, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = 0; k < n; k++)
      s += a[i * n + k] * b[k];
    y[i] = x * s + z * y[i];
  }
}
int main(void) {
  double *a = new_doubles(300 * 300, 1), *b = new_doubles(300, 2), *y = new_doubles(300, 3);
  kernel(300, 1.5, 0.75, a, b, y);
  show(y, 300 * sizeof *y);
}
