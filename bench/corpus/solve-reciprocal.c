// expect: rewritten, 2.2 times. A right triangular system from the last column on; each step divides once.
#include "corpus.h"
KERNEL void kernel(int m, int n, const double *restrict a, double *restrict b) {
  for (int k = n - 1; k >= 0; k--) {
    double r = 1 / a[k + k * n];
    for (int i = 0; i < m; i++)
      b[i + k * m] *= r;
    for (int j = 0; j < k; j++) {
      double t = a[j + k * n];
      for (int i = 0; i < m; i++)
        b[i + j * m] -= t * b[i + k * m];
    }
  }
}
int main(void) {
  double *a = new_doubles(300 * 300, 1), *b = new_doubles(300 * 300, 2);
  for (int i = 0; i < 300; i++)
    a[i * 301] = 300;
  kernel(300, 300, a, b);
  kernel(17, 1, a, b);
  show(b, 300 * 300 * sizeof *b);
}
