// expect: rewritten, 6 times. Rows behind pointers, sizes read in the loops.
#include "corpus.h"
#include <vector>
using V = std::vector<double>;
KERNEL void kernel(std::vector<V> &c, const std::vector<V> &a, const std::vector<V> &b) {
  for (std::size_t i = 0; i < c.size(); i++)
    for (std::size_t j = 0; j < c[0].size(); j++)
      for (std::size_t k = 0; k < b.size(); k++)
        c[i][j] += a[i][k] * b[k][j];
}
int main() {
  std::vector<V> a(100, V(100, 1.5)), b(100, V(100, 2.5)), c(100, V(100, 0.5));
  for (int k = 0; k < 100; k++)
    a[k][99 - k] = k, b[k][k] = -k;
  kernel(c, a, b);
  for (int k = 0; k < 100; k += 30)
    show(c[k].data(), 800);
}
