// expect: rewritten, 1.4 times. Two local vectors that std::swap exchanges after each step.
#include "corpus.h"
#include <utility>
#include <vector>
using V = std::vector<double>;
KERNEL V kernel(int n, int steps) {
  V a(n * n, 1.0), b(n * n, 0.0);
  for (int i = 0; i < n; i++)
    a[i * n] = b[i * n] = i;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
    std::swap(a, b);
  }
  return a;
}
int main() {
  for (int steps : {0, 1, 2, 3, 20, 21}) {
    V a = kernel(2900, steps), b = kernel(40, steps);
    show(a.data(), a.size() * sizeof(double));
    show(b.data(), b.size() * sizeof(double));
  }
}
