// expect: rewritten, 2.4 times. A triangular system for many right-hand sides, from the last row up, columns in memory.
#include "corpus.h"
KERNEL void kernel(int m, int n, const double *restrict a, double *restrict b) {
  for (int j = 0; j < n; j++)
    for (int k = m - 1; k >= 0; k--) {
      b[k + j * m] /= a[k + k * m];
      for (int i = 0; i < k; i++)
        b[i + j * m] -= b[k + j * m] * a[i + k * m];
    }
}
int main(void) {
  double *a = new_doubles(300 * 300, 1), *b = new_doubles(300 * 300, 2);
  for (int i = 0; i < 300; i++)
    a[i * 301] = 300;
  kernel(300, 300, a, b);
  kernel(1, 17, a, b);
  show(b, 300 * 300 * sizeof *b);
}
