// expect: rewritten, 1.6 times. A member function with time steps over vectors of the object.
#include "corpus.h"
#include <vector>
struct Solver {
  int nx, ny;
  double k;
  std::vector<double> u, v;
  void kernel(int steps);
};
KERNEL void Solver::kernel(int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < nx - 1; i++)
      for (int j = 1; j < ny - 1; j++)
        v[i * ny + j] = u[i * ny + j] + k * (u[(i - 1) * ny + j] + u[(i + 1) * ny + j] + u[i * ny + j - 1] + u[i * ny + j + 1] - 4 * u[i * ny + j]);
    for (int i = 1; i < nx - 1; i++)
      for (int j = 1; j < ny - 1; j++)
        u[i * ny + j] = v[i * ny + j];
  }
}
int main() {
  Solver s{2900, 2900, 0.1, std::vector<double>(2900 * 2900), std::vector<double>(2900 * 2900)};
  for (int k = 0; k < 2900 * 2900; k++)
    s.u[k] = k % 37 - 9;
  s.kernel(20);
  show(s.u.data(), 2900 * 2900 * sizeof(double));
}
