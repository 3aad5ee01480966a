// expect: rewritten, 8 times. Cosines between all columns of a table, 1 on the diagonal, stored on both sides of it.
#include "corpus.h"
#include <math.h>
KERNEL void kernel(int rows, int cols, const double *restrict t, const double *restrict norm, double *restrict cosine) {
  for (int a = 0; a < cols; a++) {
    cosine[a * cols + a] = 1.0;
    for (int b = 0; b < a; b++) {
      double dot = 0.0;
      for (int r = 0; r < rows; r++)
        dot += t[r * cols + a] * t[r * cols + b];
      dot /= norm[a] * norm[b];
      cosine[a * cols + b] = dot;
      cosine[b * cols + a] = dot;
    }
  }
}
int main(void) {
  double *t = new_doubles(200 * 180, 1), *norm = new_doubles(180, 2), *c = new_doubles(180 * 180, 3);
  kernel(200, 180, t, norm, c);
  show(c, 180 * 180 * sizeof(double));
}
