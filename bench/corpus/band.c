// expect: kept. A band: bounds are minima and maxima.
#include "corpus.h"
KERNEL void kernel(int n, int b, double *restrict y, const double *restrict a, const double *restrict x) {
  for (int j = 0; j < n; j++)
    for (int i = MAX(0, j - b); i < MIN(n, j + b + 1); i++)
      y[i] += a[i * n + j] * x[j];
}
int main(void) {
  double *a = new_doubles(400 * 400, 1), *x = new_doubles(400, 2), *y = new_doubles(400, 3);
  kernel(400, 60, y, a, x);
  show(y, 400 * sizeof *y);
}
