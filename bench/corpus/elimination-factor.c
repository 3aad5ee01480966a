// expect: rewritten, 3.1 times. Gaussian elimination down columns; the factor is a local variable that is stored, too.
#include "corpus.h"
KERNEL void kernel(int n, double *restrict a) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double f = a[i + k * n] / a[k + k * n];
      a[i + k * n] = f;
      for (int j = k + 1; j < n; j++)
        a[i + j * n] -= f * a[k + j * n];
    }
}
int main(void) {
  double *a = new_doubles(300 * 300, 1);
  for (int i = 0; i < 300; i++)
    a[i * 301] = 300;
  kernel(300, a);
  kernel(5, a);
  show(a, 300 * 300 * sizeof *a);
}
