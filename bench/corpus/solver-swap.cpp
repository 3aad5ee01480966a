// expect: rewritten, 1.5 times. A class whose vectors are exchanged after each step.
#include "corpus.h"
#include <vector>
struct Waves {
  std::vector<float> u, v;
  int w, h;
  void kernel(int steps);
};
KERNEL void Waves::kernel(int steps) {
  for (int t = 0; t < steps; t++) {
    for (int y = 1; y < h - 1; y++)
      for (int x = 1; x < w - 1; x++)
        v[y * w + x] = u[y * w + x] + 0.1f * (u[(y - 1) * w + x] + u[(y + 1) * w + x] + u[y * w + x - 1] + u[y * w + x + 1] - 4 * u[y * w + x]);
    u.swap(v);
  }
}
int main() {
  for (int steps : {0, 1, 2, 3, 21}) {
    Waves s{std::vector<float>(4100 * 4100), std::vector<float>(4100 * 4100), 4100, 4100};
    for (int k = 0; k < 4100 * 4100; k++)
      s.u[k] = float(k % 29), s.v[k] = float(k % 31);
    s.kernel(steps);
    show(s.u.data(), s.u.size() * sizeof(float));
    show(s.v.data(), s.v.size() * sizeof(float));
  }
}
