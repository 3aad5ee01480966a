// expect: refused BudgetSpent. 16-bit counters and bounds.
#include "corpus.h"
KERNEL void kernel(double *restrict a, const double *restrict b, const double *restrict c, short n, short m, short p) {
  for (short i = 0; i < n; i++)
    for (short j = 0; j < m; j++)
      for (short k = 0; k < p; k++)
        a[i * 160 + j] += b[i * 160 + k] * c[k * 160 + j];
}
int main(void) {
  double *a = new_doubles(160 * 160, 1), *b = new_doubles(160 * 160, 2), *c = new_doubles(160 * 160, 3);
  kernel(a, b, c, 150, 140, 130);
  kernel(a, b, c, 5, 4, 3);
  show(a, 160 * 160 * sizeof *a);
}
