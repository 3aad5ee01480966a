// expect: rewritten, 2.3 times. Elements in std::valarray.
#include "corpus.h"
#include <valarray>
KERNEL void kernel(std::valarray<double> &c, const std::valarray<double> &a, int n, int m) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      c[i * m + j] += 3 * a[i * m + j];
}
int main() {
  std::valarray<double> a(1.5, 300 * 200), c(0.5, 300 * 200);
  for (int k = 0; k < 60000; k++)
    a[k] += k % 13;
  kernel(c, a, 300, 200);
  show(&c[0], c.size() * sizeof(double));
}
