// expect: rewritten, 2.1 times. A symmetric product that skips columns for a zero, as the reference of BLAS.
#include "corpus.h"
KERNEL void kernel(int n, int k, double alpha, const double *a, int lda, double *c, int ldc) {
  for (int j = 0; j < n; j++)
    for (int l = 0; l < k; l++)
      if (a[j + l * lda] != 0.0) {
        double temp = alpha * a[j + l * lda];
        for (int i = j; i < n; i++)
          c[i + j * ldc] += temp * a[i + l * lda];
      }
}
int main(void) {
  double *a = new_doubles(300 * 300, 1), *c = new_doubles(300 * 300, 3);
  kernel(290, 280, 1.5, a, 300, c, 300);
  show(c, 300 * 300 * sizeof *c);
  a[300 * 270 + 11] = -0.0;
  kernel(290, 280, 1.5, a, 300, c, 300);
  show(c, 300 * 300 * sizeof *c);
}
