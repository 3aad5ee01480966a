// expect: rewritten, 2.3 times. The same with int counters, columns outside.
#include "corpus.h"
#include <vector>
KERNEL void kernel(std::vector<double> &c, const std::vector<double> &a, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      c[i * n + j] += a[i * n + j];
}
int main() {
  int n = 300;
  std::vector<double> a(n * n, 1.5), c(n * n, 0.125);
  for (int k = 0; k < n * n; k++)
    a[k] += k % 17;
  kernel(c, a, n);
  show(c.data(), c.size() * sizeof(double));
}
