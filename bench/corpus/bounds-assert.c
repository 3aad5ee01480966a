// expect: rewritten, 2.3 times. An assertion on each subscript.
#include "corpus.h"
#include <assert.h>
KERNEL void kernel(int n, int m, long size, double *c, const double *a) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) {
      assert((long)i * m + j < size);
      c[(long)i * m + j] += a[(long)i * m + j];
    }
}
int main(void) {
  double *a = new_doubles(300 * 200, 1), *c = new_doubles(300 * 200, 2);
  kernel(300, 200, 300 * 200, c, a);
  show(c, 300 * 200 * sizeof *c);
}
