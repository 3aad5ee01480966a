// expect: rewritten, 17 times. The subscript of the result counts through both loops, whose sizes differ.
#include "corpus.h"
KERNEL void kernel(int n, int m, const double *a, const double *b, double *c) {
  int k = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int l = 0; l < n; l++)
        sum += a[i * n + l] * b[l * m + j];
      c[k++] = sum;
    }
}
int main(void) {
  double *a = new_doubles(40000, 1), *b = new_doubles(40000, 2), *c = new_doubles(40000, 3);
  kernel(3, 0, a, b, c);
  kernel(200, 150, a, b, c);
  show(c, 40000 * sizeof *c);
}
