// expect: rewritten, 2.3 times. Checked access throws.
#include "corpus.h"
#include <vector>
KERNEL void kernel(std::vector<double> &c, const std::vector<double> &a, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      c.at(i * n + j) += a.at(i * n + j);
}
int main() {
  std::vector<double> a(40000, 1.5), c(40000, 0.125);
  kernel(c, a, 200);
  show(c.data(), c.size() * sizeof(double));
}
