// expect: kept. A product of complex matrices, with the library's product where a part is not a number.
#include "corpus.h"
#include <complex.h>
KERNEL void kernel(int n, const double complex *a, const double complex *b, double complex *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
int main(void) {
  double *a = new_doubles(20000, 1), *b = new_doubles(20000, 2), *c = new_doubles(20000, 3);
  a[77] = 1.0 / 0.0;
  b[99] = -1.0 / 0.0;
  b[100] = a[77] * 0;
  kernel(100, (double complex *)a, (double complex *)b, (double complex *)c);
  for (int k = 0; k < 20000; k++)
    if (c[k] != c[k])
      c[k] = 0;
  show(c, 20000 * sizeof *c);
}
