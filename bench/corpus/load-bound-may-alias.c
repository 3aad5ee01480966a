// expect: rewritten, 2.3 times. The same where only types say that the size is not written.
#include "corpus.h"
KERNEL void kernel(double *o, const double *a, const int *p) {
  for (int j = 0; j < *p; j++)
    for (int i = 0; i < *p; i++)
      o[i * *p + j] += 2 * a[i * *p + j];
}
int main(void) {
  int n = 300;
  double *a = new_doubles(n * n, 1), *o = new_doubles(n * n, 2);
  kernel(o, a, &n);
  show(o, n * n * sizeof *o);
  kernel(a + 7, a, &n);
  show(a, n * (n - 1) * sizeof *o);
}
