// expect: kept. Time steps over rows that malloc gives out by turns: from which sizes on tiles pay is not known.
#include "corpus.h"
KERNEL void kernel(double **a, double **b, int steps, int n) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = b[i][j];
  }
}
int main(void) {
  int n = 150;
  double **a = (double **)malloc(n * sizeof *a), **b = (double **)malloc(n * sizeof *b);
  for (int i = 0; i < n; i++) {
    a[i] = new_doubles(n, i);
    b[i] = new_doubles(n, i + n);
  }
  kernel(a, b, 20, n);
  for (int i = 0; i < n; i += 30)
    show(a[i], n * sizeof(double));
}
