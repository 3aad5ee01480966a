// expect: rewritten, 1.4 times. A matrix times a vector, the matrix through one pointer that walks over all of it.
#include "corpus.h"
KERNEL void kernel(int n, int m, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    const double *of = x;
    double s = 0;
    for (int j = 0; j < m; j++)
      s += *a++ * *of++;
    *y++ = s;
  }
}
int main(void) {
  double *a = new_doubles(90000, 1), *x = new_doubles(300, 2), *y = new_doubles(400, 3);
  kernel(3, 0, a, x, y);
  kernel(7, 5, a, x, y);
  kernel(300, 290, a, x, y);
  show(y, 400 * sizeof *y);
}
