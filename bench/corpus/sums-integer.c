// expect: rewritten, 2.6 times. Sums of integers, one of them by exclusive or, that an update of the element uses.
#include "corpus.h"
KERNEL void kernel(int n, const int *restrict a, const int *restrict b, int *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int s = 0, t = 1;
      for (int k = 0; k < n; k++) {
        s += a[i * n + k] * b[k * n + j];
        t ^= a[i * n + k] + b[k * n + j];
      }
      c[i * n + j] += s >> (t & 3);
    }
}
int main(void) {
  int *a = new_ints(170 * 170, 1), *b = new_ints(170 * 170, 2), *c = new_ints(170 * 170, 3);
  kernel(170, a, b, c);
  show(c, 170 * 170 * sizeof *c);
}
