// expect: rewritten, 2.2 times. A size that is read through a pointer in front of the loops.
#include "corpus.h"
KERNEL void kernel(double *restrict o, const double *restrict a, const int *restrict p) {
  int n = *p;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      o[i * n + j] = a[i * n + j];
}
int main(void) {
  int n = 300;
  double *a = new_doubles(n * n, 1), *o = new_doubles(n * n, 2);
  kernel(o, a, &n);
  show(o, n * n * sizeof *o);
}
