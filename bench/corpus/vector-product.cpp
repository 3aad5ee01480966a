// expect: rewritten, 17 times. Matrices in std::vector, the size beside.
#include "corpus.h"
#include <vector>
using V = std::vector<double>;
KERNEL void kernel(V &c, const V &a, const V &b, std::size_t n) {
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t j = 0; j < n; j++)
      for (std::size_t k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
int main() {
  int n = 150;
  V a(n * n, 1.5), b(n * n, 2.25), c(n * n, 0.125);
  for (int k = 0; k < n * n; k++)
    a[k] += k % 17, b[k] -= k % 23;
  kernel(c, a, b, n);
  show(c.data(), c.size() * sizeof(double));
}
