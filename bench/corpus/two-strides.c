// expect: rewritten, 2.2 times. Both strides are parameters; that the last of them is 1 is tested.
#include "corpus.h"
KERNEL void kernel(double *restrict o, const double *restrict a, int n, int m, int si, int sj) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      o[i * si + j * sj] = a[i * si + j * sj] * 2;
}
int main(void) {
  double *a = new_doubles(400 * 400, 1), *o = new_doubles(400 * 400, 2);
  kernel(o, a, 300, 300, 400, 1);
  kernel(o, a, 300, 100, 1, 350);
  kernel(o, a, 30, 30, 2, 3);
  show(o, 400 * 400 * sizeof *o);
}
