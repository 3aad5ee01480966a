// expect: rewritten, 2.2 times. Rows as long as a product.
#include "corpus.h"
KERNEL void kernel(double *restrict o, const double *restrict a, int n, int b) {
  int ld = n * b;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      o[i * ld + j] = a[i * ld + j];
}
int main(void) {
  double *a = new_doubles(200 * 600, 1), *o = new_doubles(200 * 600, 2);
  kernel(o, a, 200, 3);
  show(o, 200 * 600 * sizeof *o);
}
