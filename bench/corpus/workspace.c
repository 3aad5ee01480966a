// expect: rewritten, 5 times. Three matrices in one piece of memory, whose rows have two lengths.
#include "corpus.h"
KERNEL void kernel(double *work, int n, int m, int p) {
  double *a = work, *b = a + n * m, *c = b + m * p;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < p; j++) {
      double s = 0;
      for (int k = 0; k < m; k++) s += a[i * m + k] * b[k * p + j];
      c[i * p + j] = s;
    }
}
int main(void) {
  int n = 150, m = 170, p = 190;
  double *work = malloc((n * m + m * p + n * p) * sizeof *work);
  for (int k = 0; k < n * m + m * p; k++) work[k] = k * 37 % 101 / 8.0;
  kernel(work, n, m, p);
  show(work, (n * m + m * p + n * p) * sizeof *work);
}
