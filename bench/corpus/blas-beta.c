// expect: rewritten, 2 times. A product that first scales by beta, unless it is 0 or 1, as the reference of BLAS.
#include "corpus.h"
KERNEL void kernel(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb, double beta, double *c,
                   int ldc) {
  for (int j = 0; j < n; j++) {
    if (beta == 0.0) {
      for (int i = 0; i < m; i++)
        c[i + j * ldc] = 0.0;
    } else if (beta != 1.0) {
      for (int i = 0; i < m; i++)
        c[i + j * ldc] = beta * c[i + j * ldc];
    }
    for (int l = 0; l < k; l++) {
      double temp = alpha * b[j + l * ldb];
      for (int i = 0; i < m; i++)
        c[i + j * ldc] += temp * a[i + l * lda];
    }
  }
}
int main(void) {
  double *a = new_doubles(300 * 300, 1), *b = new_doubles(300 * 300, 2), *c = new_doubles(300 * 300, 3);
  double betas[] = {0.5, 1.0, 0.0, -0.0};
  for (int t = 0; t < 4; t++) {
    kernel(300, 290, 280, 1.5, a, 300, b, 300, betas[t], c, 300);
    show(c, 300 * 280 * sizeof *c);
  }
}
