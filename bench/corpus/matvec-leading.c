// expect: rewritten, 3.9 times. A matrix in columns with a leading dimension, times a vector, row by row, added to
// another one.
#include "corpus.h"
KERNEL void kernel(int rows, int cols, double scale, const double *a, int lead, const double *x, double *y) {
  for (int r = 0; r < rows; r++) {
    double dot = 0;
    for (int c = 0; c < cols; c++)
      dot += a[r + (long)c * lead] * x[c];
    y[r] += scale * dot;
  }
}
int main(void) {
  double *a = new_doubles(910 * 800, 1), *x = new_doubles(800, 2), *y = new_doubles(900, 3);
  kernel(900, 800, 0.125, a, 910, x, y);
  show(y, 900 * sizeof(double));
}
