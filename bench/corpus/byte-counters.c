// expect: rewritten, 10 times. 8-bit counters without sign.
#include "corpus.h"
typedef unsigned char u8;
KERNEL void kernel(double *restrict a, const double *restrict b, const double *restrict c, u8 n) {
  for (u8 i = 0; i < n; i++)
    for (u8 j = 0; j < n; j++)
      for (u8 k = 0; k < n; k++)
        a[i * 160 + j] += b[i * 160 + k] * c[k * 160 + j];
}
int main(void) {
  double *a = new_doubles(160 * 160, 1), *b = new_doubles(160 * 160, 2), *c = new_doubles(160 * 160, 3);
  kernel(a, b, c, 150);
  show(a, 160 * 160 * sizeof *a);
}
