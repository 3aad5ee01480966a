// expect: rewritten, 17 times. Operators that are called where local objects would have to be destroyed.
#include "corpus.h"
#include <vector>
struct Matrix {
  std::vector<double> data;
  std::size_t rows, columns;
  Matrix(std::size_t rows, std::size_t columns) : data(rows * columns), rows(rows), columns(columns) {}
  double &operator()(std::size_t i, std::size_t j) { return data[i * columns + j]; }
  double operator()(std::size_t i, std::size_t j) const { return data[i * columns + j]; }
};
KERNEL Matrix kernel(const Matrix &a, const Matrix &b) {
  Matrix c(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; i++)
    for (std::size_t j = 0; j < b.columns; j++)
      for (std::size_t k = 0; k < a.columns; k++)
        c(i, j) += a(i, k) * b(k, j);
  return c;
}
int main() {
  Matrix a(150, 170), b(170, 130);
  for (std::size_t k = 0; k < a.data.size(); k++)
    a.data[k] = double(k % 17) - 3.5;
  for (std::size_t k = 0; k < b.data.size(); k++)
    b.data[k] = double(k % 23) * 0.25;
  Matrix c = kernel(a, b);
  show(c.data.data(), c.data.size() * sizeof(double));
}
