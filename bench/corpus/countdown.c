// expect: rewritten, 2.3 times. A loop that counts down through rows of unknown length.
#include "corpus.h"
KERNEL void kernel(int n, int lo, double *restrict a, const double *restrict b) {
  for (int i = n - 1; i >= lo; i--)
    for (int j = lo; j < n; j++)
      a[j * n + i] += b[j * n + i];
}
int main(void) {
  double *a = new_doubles(400 * 400, 1), *b = new_doubles(400 * 400, 2);
  kernel(400, 3, a, b);
  kernel(20, 30, a, b);
  show(a, 400 * 400 * sizeof *a);
}
