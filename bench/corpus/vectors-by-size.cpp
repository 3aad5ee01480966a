// expect: rewritten, 1.7 times. Two vectors, whose sizes are asked in each iteration; the updated one is walked inside.
#include "corpus.h"
#include <vector>
KERNEL void kernel(std::vector<double> &c, const std::vector<double> &a, const std::vector<double> &b) {
  for (std::size_t j = 0; j < b.size(); j++)
    for (std::size_t i = 0; i < a.size(); i++)
      c[i] += a[i] * b[j];
}
int main() {
  std::vector<double> a(4000, 1.5), b(4000, 0.125), c(4000);
  for (std::size_t k = 0; k < a.size(); k++)
    a[k] += k % 17, b[k] += k % 13;
  kernel(c, a, b);
  show(c.data(), c.size() * sizeof(double));
}
