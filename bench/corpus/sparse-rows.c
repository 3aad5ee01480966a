// expect: refused NonAffineBound. Bounds and subscripts that are elements of arrays.
#include "corpus.h"
KERNEL void kernel(int n, const int *row, const int *col, const double *v, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    for (int k = row[i]; k < row[i + 1]; k++)
      y[i] += v[k] * x[col[k]];
}
int main(void) {
  int row[4] = {0, 2, 3, 5}, col[5] = {0, 2, 1, 0, 1};
  double *v = new_doubles(5, 1), *x = new_doubles(3, 2), *y = new_doubles(3, 3);
  kernel(3, row, col, v, x, y);
  show(y, 3 * sizeof *y);
}
