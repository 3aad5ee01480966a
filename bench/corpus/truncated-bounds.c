// expect: rewritten, 2.3 times. Bounds narrowed from long to int.
#include "corpus.h"
KERNEL void kernel(double *restrict a, const double *restrict b, long n, long m) {
  int N = n, M = m;
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++)
      a[i * M + j] += b[i * M + j];
}
int main(void) {
  double *a = new_doubles(400 * 400, 1), *b = new_doubles(400 * 400, 2);
  kernel(a, b, 300, 400);
  kernel(a, b, (1L << 32) + 7, 12);
  show(a, 400 * 400 * sizeof *a);
}
