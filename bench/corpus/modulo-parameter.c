// expect: rewritten, 2.3 times. Periodic neighbours: a remainder by a parameter that wraps at most once.
#include "corpus.h"
KERNEL void kernel(int n, double *restrict o, const double *restrict a) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      o[i * n + j] = a[((i + 1) % n) * n + j] + a[((i + n - 1) % n) * n + j];
}
int main(void) {
  double *a = new_doubles(300 * 300, 1), *o = new_doubles(300 * 300, 2);
  kernel(300, o, a);
  show(o, 300 * 300 * sizeof *o);
}
