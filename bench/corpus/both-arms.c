// expect: kept. Each row fills a buffer whichever way its conditions go: each element is surely written.
#include "corpus.h"
KERNEL void kernel(double *restrict out, const double *restrict in, double *restrict row, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      if (in[i * n + j] > 3)
        row[j] = 2 * in[i * n + j];
      else if (in[i * n + j] < -3)
        row[j] = -1;
      else
        row[j] = in[i * n + j];
    for (int j = 0; j < n; j++)
      out[j * n + i] += row[j];
  }
}
int main(void) {
  int n = 300;
  double *in = new_doubles(n * n, 1), *out = new_doubles(n * n, 2), *row = new_doubles(n, 3);
  kernel(out, in, row, n);
  show(out, n * n * sizeof(double));
  show(row, n * sizeof(double));
}
