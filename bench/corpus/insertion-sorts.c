// expect: kept. Rows sorted by insertion: the inner loop ends where the data says.
#include "corpus.h"
KERNEL void kernel(int m, int n, double *a) {
  for (int r = 0; r < m; r++)
    for (int i = 1; i < n; i++) {
      double v = a[r * n + i];
      int k = i - 1;
      while (k >= 0 && a[r * n + k] > v) {
        a[r * n + k + 1] = a[r * n + k];
        k--;
      }
      a[r * n + k + 1] = v;
    }
}
int main(void) {
  double *a = new_doubles(20 * 50, 1);
  kernel(20, 50, a);
  show(a, 20 * 50 * sizeof *a);
}
