// expect: rewritten, 17 times. Unsigned counters and sizes with 64-bit addresses.
#include "corpus.h"
KERNEL void kernel(unsigned n, double *restrict a, const double *restrict b, const double *restrict c) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      for (unsigned k = 0; k < n; k++)
        a[i * n + j] += b[i * n + k] * c[k * n + j];
}
int main(void) {
  double *a = new_doubles(160 * 160, 1), *b = new_doubles(160 * 160, 2), *c = new_doubles(160 * 160, 3);
  kernel(160, a, b, c);
  show(a, 160 * 160 * sizeof *a);
}
