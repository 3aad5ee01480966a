// expect: rewritten, 2 times. A product that skips columns for a zero, as the reference of BLAS.
#include "corpus.h"
KERNEL void kernel(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb, double *c, int ldc) {
  for (int j = 0; j < n; j++)
    for (int l = 0; l < k; l++) {
      double temp = alpha * b[l + j * ldb];
      if (temp != 0.0)
        for (int i = 0; i < m; i++)
          c[i + j * ldc] += temp * a[i + l * lda];
    }
}
int main(void) {
  double *a = new_doubles(300 * 300, 1), *b = new_doubles(300 * 300, 2), *c = new_doubles(300 * 300, 3);
  kernel(300, 290, 280, 1.5, a, 300, b, 300, c, 300);
  show(c, 300 * 300 * sizeof *c);
  b[300 * 280 + 11] = 0.0;
  kernel(300, 290, 280, 1.5, a, 300, b, 300, c, 300);
  show(c, 300 * 300 * sizeof *c);
}
