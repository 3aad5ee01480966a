// expect: kept. A sparse matrix times a vector, arrays apart: its rows are statements.
#include "corpus.h"
KERNEL void kernel(int n, const int *restrict row, const int *restrict col, const double *restrict v, const double *restrict x, double *restrict y) {
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
