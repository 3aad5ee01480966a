// expect: rewritten, 17 times. The product is written through a pointer that walks through the matrix.
#include "corpus.h"
KERNEL void kernel(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
      *c++ = sum;
    }
}
int main(void) {
  double *a = new_doubles(40000, 1), *b = new_doubles(40000, 2), *c = new_doubles(40000, 3);
  kernel(3, a, b, c);
  kernel(200, a, b, c);
  show(c, 40000 * sizeof *c);
}
