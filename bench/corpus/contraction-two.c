// expect: rewritten, 6 times. A contraction over two indices, whose lengths are not known.
#include "corpus.h"
KERNEL void kernel(int n, int m, int p, int q, double a[restrict n][p][q], double b[restrict p][q][m], double c[restrict n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = 0; k < p; k++)
        for (int l = 0; l < q; l++)
          s += a[i][k][l] * b[k][l][j];
      c[i][j] = s;
    }
}
int main(void) {
  double *a = new_doubles(120 * 40 * 50, 1), *b = new_doubles(40 * 50 * 110, 2), *c = new_doubles(120 * 110, 3);
  kernel(120, 110, 40, 50, (void *)a, (void *)b, (void *)c);
  show(c, 120 * 110 * sizeof(double));
}
