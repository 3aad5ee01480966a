// expect: kept. Iterators over a vector: one loop in its order.
#include "corpus.h"
#include <vector>
KERNEL void kernel(std::vector<double> &v, double f) {
  for (double &x : v)
    x *= f;
}
int main() {
  std::vector<double> a(40000, 1.5);
  kernel(a, 0.3);
  show(a.data(), a.size() * sizeof(double));
}
