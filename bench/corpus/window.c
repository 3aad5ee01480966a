// expect: kept. A window around each column, its ends computed before the loop and both counted.
#include "corpus.h"
KERNEL void kernel(int n, int width, const double *a, double *b) {
  for (int j = 0; j < n; j++) {
    int first = j - width > 0 ? j - width : 0, last = j + width < n ? j + width : n - 1;
    for (int i = first; i <= last; i++)
      b[i * n + j] += a[i * n + j];
  }
}
int main(void) {
  double *a = new_doubles(40000, 1), *b = new_doubles(40000, 2);
  for (int width = -2; width < 5; width++)
    kernel(60 * width + 130 > 200 ? 200 : 60 * width + 130, width, a, b);
  show(b, 40000 * sizeof *b);
}
