// expect: rewritten, 1.3 times. A function with a loop of its own that computes from its arguments.
#include "corpus.h"
#include <math.h>
KERNEL static double weight(double x, double y) {
  double sum = sqrt(fabs(x));
  for (int k = 0; k < 4; k++)
    sum = sum * y + k;
  return sum;
}
KERNEL void kernel(int n, double *a, const double *b) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[i * n + j] += weight(b[i * n + j], b[i * n]);
}
int main(void) {
  double *a = new_doubles(600 * 600, 1), *b = new_doubles(600 * 600, 2);
  kernel(600, a, b);
  show(a, 600 * 600 * sizeof *a);
}
