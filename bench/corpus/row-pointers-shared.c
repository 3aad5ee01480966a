// expect: rewritten, 3.2 times. Some rows are one and the same, or the vector that the columns are added to: the old
// loops run.
#include "corpus.h"
KERNEL void kernel(double *s, double **a, int n, int m) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      s[j] += a[i][j];
}
int main(void) {
  int n = 200;
  double **a = (double **)malloc(n * sizeof *a), *s = new_doubles(n, 7);
  for (int i = 0; i < n; i++)
    a[i] = i % 3 == 2 ? a[i / 2] : new_doubles(n, i);
  kernel(s, a, n, n);
  show(s, n * sizeof(double));
  kernel(a[n / 2], a, n, n);
  show(a[n / 2], n * sizeof(double));
}
