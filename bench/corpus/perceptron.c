// expect: rewritten, 14 times. Two layers of a perceptron, the first with a threshold.
#include "corpus.h"
KERNEL void kernel(int n, int d, int h, int o, const double *restrict x, const double *restrict w, const double *restrict v,
                   double *restrict hidden, double *restrict y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < h; j++) {
      double s = 0;
      for (int k = 0; k < d; k++)
        s += x[i * d + k] * w[k * h + j];
      hidden[i * h + j] = s > 0 ? s : 0.01 * s;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < o; j++) {
      double s = 0;
      for (int k = 0; k < h; k++)
        s += hidden[i * h + k] * v[k * o + j];
      y[i * o + j] += s;
    }
}
int main(void) {
  double *x = new_doubles(150 * 130, 1), *w = new_doubles(130 * 140, 2), *v = new_doubles(140 * 90, 3);
  double *hidden = new_doubles(150 * 140, 4), *y = new_doubles(150 * 90, 5);
  kernel(150, 130, 140, 90, x, w, v, hidden, y);
  show(y, 150 * 90 * sizeof *y);
}
