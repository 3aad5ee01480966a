// expect: rewritten, 2.3 times. A class that owns its elements by std::unique_ptr.
#include "corpus.h"
#include <memory>
struct Field {
  int nx, ny;
  std::unique_ptr<double[]> u;
  double &at(int i, int j) { return u[i * ny + j]; }
  double at(int i, int j) const { return u[i * ny + j]; }
};
KERNEL void kernel(Field &o, const Field &a) {
  for (int j = 1; j < a.ny - 1; j++)
    for (int i = 1; i < a.nx - 1; i++)
      o.at(i, j) = 0.25 * (a.at(i - 1, j) + a.at(i + 1, j) + a.at(i, j - 1) + a.at(i, j + 1));
}
int main() {
  Field a{300, 200, std::unique_ptr<double[]>(new double[60000])}, o{300, 200, std::unique_ptr<double[]>(new double[60000]())};
  for (int k = 0; k < 60000; k++)
    a.u[k] = k % 31 - 7;
  kernel(o, a);
  show(o.u.get(), 60000 * sizeof(double));
}
