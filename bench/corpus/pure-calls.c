// expect: rewritten, 1.2 times. A table is looked up by a function that only reads it.
#include "corpus.h"
KERNEL static double look(const double *table, double x) {
  int k = (int)x;
  return k < 0 ? table[0] : k > 15 ? table[15] : table[k];
}
KERNEL void kernel(int n, const double *table, const double *restrict a, double *restrict b) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      b[i * n + j] += look(table, a[i * n + j]);
}
int main(void) {
  double *a = new_doubles(160000, 1), *b = new_doubles(160000, 2), *table = new_doubles(16, 3);
  kernel(400, table, a, b);
  show(b, 160000 * sizeof *b);
}
