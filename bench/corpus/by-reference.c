// expect: rewritten, 9 times. All scalars by reference, columns contiguous, as Fortran passes them.
#include "corpus.h"
KERNEL void kernel(const int *m, const int *n, const int *k, const double *alpha, const double *a, const int *lda, const double *b,
                   const int *ldb, double *c, const int *ldc) {
  for (int j = 0; j < *n; j++)
    for (int i = 0; i < *m; i++)
      for (int l = 0; l < *k; l++)
        c[i + j * *ldc] += *alpha * a[i + l * *lda] * b[l + j * *ldb];
}
int main(void) {
  int m = 150, n = 140, k = 130, ld = 160;
  double alpha = 1.5;
  double *a = new_doubles(ld * ld, 1), *b = new_doubles(ld * ld, 2), *c = new_doubles(ld * ld, 3);
  kernel(&m, &n, &k, &alpha, a, &ld, b, &ld, c, &ld);
  show(c, ld * ld * sizeof *c);
}
