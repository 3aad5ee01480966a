// expect: rewritten, 2.2 times. Members read in the loops, columns outside.
#include "corpus.h"
typedef struct {
  int rows, cols;
  double *data;
} Matrix;
KERNEL void kernel(Matrix *c, const Matrix *a) {
  for (int j = 0; j < c->cols; j++)
    for (int i = 0; i < c->rows; i++)
      c->data[i * c->cols + j] = 2 * a->data[i * a->cols + j];
}
int main(void) {
  Matrix a = {500, 400, new_doubles(500 * 400, 1)}, c = {500, 400, new_doubles(500 * 400, 3)};
  kernel(&c, &a);
  show(c.data, 500 * 400 * sizeof(double));
}
