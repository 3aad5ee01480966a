// expect: rewritten, 2.3 times. Views of memory.
#include "corpus.h"
#include <span>
KERNEL void kernel(std::span<double> c, std::span<const double> a, std::size_t n, std::size_t m) {
  for (std::size_t j = 0; j < m; j++)
    for (std::size_t i = 0; i < n; i++)
      c[i * m + j] += a[i * m + j];
}
int main() {
  double *a = new_doubles(60000, 1), *c = new_doubles(60000, 2);
  kernel(std::span(c, 60000), std::span(a, 60000), 300, 200);
  show(c, 60000 * sizeof(double));
}
