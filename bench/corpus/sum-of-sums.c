// expect: rewritten, 2.1 times. A sum of squares of sums.
#include "corpus.h"
KERNEL void kernel(int n, const double *restrict a, const double *restrict b, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double total = 0;
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      total += s * s;
    }
    y[i] = total;
  }
}
int main(void) {
  double *a = new_doubles(170 * 170, 1), *b = new_doubles(170 * 170, 2), *y = new_doubles(170, 3);
  kernel(170, a, b, y);
  show(y, 170 * sizeof *y);
}
