// expect: rewritten, 17 times. The same passed by value.
#include "corpus.h"
struct Mat {
  std::size_t n;
  double *d;
  double &operator()(std::size_t i, std::size_t j) { return d[i * n + j]; }
};
KERNEL void kernel(Mat c, Mat a, Mat b) {
  for (std::size_t i = 0; i < c.n; i++)
    for (std::size_t j = 0; j < c.n; j++)
      for (std::size_t k = 0; k < c.n; k++)
        c(i, j) += a(i, k) * b(k, j);
}
int main() {
  Mat a{150, new_doubles(150 * 150, 1)}, b{150, new_doubles(150 * 150, 2)}, c{150, new_doubles(150 * 150, 3)};
  kernel(c, a, b);
  show(c.d, 150 * 150 * sizeof(double));
}
