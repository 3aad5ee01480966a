// expect: rewritten, 1.4 times. Two vectors behind references that std::swap exchanges after each step.
#include "corpus.h"
#include <utility>
#include <vector>
using V = std::vector<double>;
KERNEL void kernel(V &a, V &b, int n, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
    std::swap(a, b);
  }
}
int main() {
  int n = 2900;
  V a(n * n), b(n * n);
  for (int k = 0; k < n * n; k++)
    a[k] = k % 17 * 0.25, b[k] = k % 23;
  for (int steps : {0, 1, 2, 3, 21}) {
    kernel(a, b, n, steps);
    show(a.data(), a.size() * sizeof(double));
    show(b.data(), b.size() * sizeof(double));
    kernel(a, a, 40, steps);
    kernel(b, b, n, steps);
    show(b.data(), b.size() * sizeof(double));
  }
}
