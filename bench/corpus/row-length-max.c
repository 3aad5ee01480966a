// expect: rewritten, 2.2 times. Rows as long as a maximum.
#include "corpus.h"
KERNEL void kernel(double *restrict o, const double *restrict a, int n0) {
  int n = n0 > 1 ? n0 : 1;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      o[i * n + j] = a[i * n + j];
}
int main(void) {
  double *a = new_doubles(300 * 300, 1), *o = new_doubles(300 * 300, 2);
  kernel(o, a, 300);
  kernel(o, a, -5);
  show(o, 300 * 300 * sizeof *o);
}
