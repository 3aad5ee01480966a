// expect: rewritten, 17 times. Matrices as structs behind pointers, all members read in the loops.
#include "corpus.h"
typedef struct {
  int rows, cols;
  double *data;
} Matrix;
KERNEL void kernel(Matrix *c, const Matrix *a, const Matrix *b) {
  for (int i = 0; i < c->rows; i++)
    for (int j = 0; j < c->cols; j++)
      for (int k = 0; k < a->cols; k++)
        c->data[i * c->cols + j] += a->data[i * a->cols + k] * b->data[k * b->cols + j];
}
int main(void) {
  Matrix a = {150, 170, new_doubles(150 * 170, 1)}, b = {170, 130, new_doubles(170 * 130, 2)};
  Matrix c = {150, 130, new_doubles(150 * 130, 3)}, none = {0, 0, NULL};
  kernel(&c, &a, &b);
  kernel(&none, &none, &none);
  show(c.data, 150 * 130 * sizeof(double));
}
