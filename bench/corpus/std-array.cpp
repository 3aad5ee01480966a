// expect: rewritten, 21 times. std::array of std::array.
#include "corpus.h"
#include <array>
using M = std::array<std::array<double, 160>, 160>;
KERNEL void kernel(M &c, const M &a, const M &b) {
  for (int i = 0; i < 160; i++)
    for (int j = 0; j < 160; j++)
      for (int k = 0; k < 160; k++)
        c[i][j] += a[i][k] * b[k][j];
}
M a, b, c;
int main() {
  for (int i = 0; i < 160; i++)
    for (int j = 0; j < 160; j++)
      a[i][j] = i * 0.5 - j, b[i][j] = j * 0.25 + i;
  kernel(c, a, b);
  show(&c, sizeof c);
}
