// expect: rewritten, 17 times. Matrices passed by value: both sizes of one arrive in one register.
#include "corpus.h"
typedef struct {
  int rows, cols;
  double *data;
} Mat;
KERNEL void kernel(Mat c, Mat a, Mat b) {
  for (int i = 0; i < a.rows; i++)
    for (int j = 0; j < b.cols; j++) {
      c.data[i * c.cols + j] = 0;
      for (int k = 0; k < a.cols; k++)
        c.data[i * c.cols + j] += a.data[i * a.cols + k] * b.data[k * b.cols + j];
    }
}
int main(void) {
  Mat a = {150, 170, new_doubles(150 * 170, 1)}, b = {170, 130, new_doubles(170 * 130, 2)};
  Mat c = {150, 130, new_doubles(150 * 130, 3)}, none = {0, 0, NULL}, odd = {-3, -5, c.data};
  kernel(c, a, b);
  kernel(none, none, none);
  kernel(odd, odd, odd);
  show(c.data, 150 * 130 * sizeof(double));
}
