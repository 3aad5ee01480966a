// expect: rewritten, 3.8 times. A class template with a plain pointer and int sizes.
#include "corpus.h"
template <class T> struct Mat {
  int rows, cols;
  T *d;
  T &operator()(int i, int j) { return d[i * cols + j]; }
  const T &operator()(int i, int j) const { return d[i * cols + j]; }
};
KERNEL void kernel(Mat<float> &c, const Mat<float> &a) {
  for (int j = 0; j < c.cols; j++)
    for (int i = 0; i < c.rows; i++)
      c(i, j) += 2 * a(i, j);
}
int main() {
  Mat<float> a{300, 400, new_floats(300 * 400, 1)}, c{300, 400, new_floats(300 * 400, 2)};
  kernel(c, a);
  show(c.d, 300 * 400 * sizeof(float));
}
