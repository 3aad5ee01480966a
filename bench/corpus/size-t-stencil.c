// expect: rewritten, 2.4 times. size_t sizes, three dimensions.
#include "corpus.h"
KERNEL void kernel(size_t n, size_t m, size_t p, double *restrict o, const double *restrict a) {
  for (size_t k = 1; k < p - 1; k++)
    for (size_t j = 1; j < m - 1; j++)
      for (size_t i = 1; i < n - 1; i++)
        o[(i * m + j) * p + k] = a[((i - 1) * m + j) * p + k] + a[((i + 1) * m + j) * p + k] + a[(i * m + j - 1) * p + k] +
                                 a[(i * m + j) * p + k + 1];
}
int main(void) {
  double *a = new_doubles(50 * 60 * 70, 1), *o = new_doubles(50 * 60 * 70, 2);
  kernel(50, 60, 70, o, a);
  show(o, 50 * 60 * 70 * sizeof *o);
}
