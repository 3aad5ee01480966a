// expect: rewritten, 2.2 times. A struct of two sizes passed by value: both arrive in one register.
#include "corpus.h"
typedef struct {
  int rows, cols;
} Size;
KERNEL void kernel(Size s, double *restrict o, const double *restrict a) {
  for (int j = 0; j < s.cols; j++)
    for (int i = 0; i < s.rows; i++)
      o[i * s.cols + j] = 3 * a[i * s.cols + j];
}
int main(void) {
  Size s = {500, 400};
  double *a = new_doubles(500 * 400, 1), *o = new_doubles(500 * 400, 2);
  kernel(s, o, a);
  show(o, 500 * 400 * sizeof(double));
}
