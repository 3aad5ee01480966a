// expect: rewritten, 2.1 times. Calls of math functions.
#include "corpus.h"
#include <math.h>
KERNEL void kernel(int n, int m, double *restrict s, const double *restrict a) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      s[j] += sqrt(fabs(a[i * m + j]));
}
int main(void) {
  double *a = new_doubles(400 * 300, 1), *s = new_doubles(300, 2);
  kernel(400, 300, s, a);
  show(s, 300 * sizeof *s);
}
