// expect: rewritten, 1.5 times. A matrix times a vector as BLAS has it: increments may be negative.
#include "corpus.h"
#define OFFSET(N, incX) ((incX) > 0 ? 0 : ((N)-1) * (-(incX)))
KERNEL void kernel(int M, int N, const double *restrict A, int lda, const double *restrict X, int incX, double *restrict Y, int incY) {
  int jy = OFFSET(N, incY);
  for (int j = 0; j < N; j++) {
    int ix = OFFSET(M, incX);
    for (int i = 0; i < M; i++) {
      Y[jy] += X[ix] * A[lda * i + j];
      ix += incX;
    }
    jy += incY;
  }
}
int main(void) {
  double *a = new_doubles(400 * 500, 1), *x = new_doubles(1000, 2), *y = new_doubles(1000, 3);
  kernel(400, 450, a, 500, x, 1, y, 1);
  kernel(400, 450, a, 500, x, -2, y, 2);
  kernel(400, 450, a, 500, x, 1, y, -1);
  show(y, 1000 * sizeof *y);
}
