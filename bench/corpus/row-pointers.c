// expect: rewritten, 6 times. Rows behind pointers.
#include "corpus.h"
KERNEL void kernel(double **c, double **a, double **b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
static double **rows(int n, int seed) {
  double **r = (double **)malloc(n * sizeof *r);
  for (int i = 0; i < n; i++)
    r[i] = new_doubles(n, seed + i);
  return r;
}
int main(void) {
  int n = 150;
  double **a = rows(n, 1), **b = rows(n, 2), **c = rows(n, 3);
  kernel(c, a, b, n);
  for (int i = 0; i < n; i += 50)
    show(c[i], n * sizeof(double));
}
