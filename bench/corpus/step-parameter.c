// expect: rewritten, 2.3 times. Every s-th row, where the step is a parameter.
#include "corpus.h"
KERNEL void kernel(double *restrict a, const double *restrict b, int n, int s) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i += s)
      a[i * n + j] += b[i * n + j];
}
int main(void) {
  double *a = new_doubles(600 * 600, 1), *b = new_doubles(600 * 600, 2);
  kernel(a, b, 600, 1);
  kernel(a, b, 599, 2);
  kernel(a, b, 600, 7);
  kernel(a, b, 600, 599);
  kernel(a, b, 600, 600);
  kernel(a, b, 600, 100000);
  kernel(a, b, 0, 0);
  kernel(a, b, -5, -1);
  show(a, 600 * 600 * sizeof *a);
}
