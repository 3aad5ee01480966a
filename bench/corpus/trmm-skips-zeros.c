// expect: kept. A triangular product that skips columns for zeros among what it writes, as the reference of BLAS.
#include "corpus.h"
KERNEL void kernel(int m, int n, double alpha, const double *a, int lda, double *b, int ldb) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < m; k++)
      if (b[k + j * ldb] != 0.0) {
        double temp = alpha * b[k + j * ldb];
        for (int i = 0; i < k; i++)
          b[i + j * ldb] += temp * a[i + k * lda];
        b[k + j * ldb] = temp * a[k + k * lda];
      }
}
int main(void) {
  double *a = new_doubles(300 * 300, 1), *b = new_doubles(300 * 300, 2);
  b[300 * 7 + 11] = 0.0;
  kernel(290, 280, 0.01, a, 300, b, 300);
  show(b, 300 * 300 * sizeof *b);
}
