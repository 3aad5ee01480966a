// expect: rewritten, 17 times. A class with a vector, sizes and operator().
#include "corpus.h"
#include <vector>
class Matrix {
  std::size_t rows_, cols_;
  std::vector<double> data_;

public:
  Matrix(std::size_t r, std::size_t c) : rows_(r), cols_(c), data_(r * c) {}
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  double &operator()(std::size_t i, std::size_t j) { return data_[i * cols_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }
  const double *data() const { return data_.data(); }
};
KERNEL void kernel(Matrix &c, const Matrix &a, const Matrix &b) {
  for (std::size_t i = 0; i < c.rows(); i++)
    for (std::size_t j = 0; j < c.cols(); j++)
      for (std::size_t k = 0; k < a.cols(); k++)
        c(i, j) += a(i, k) * b(k, j);
}
int main() {
  Matrix a(150, 140), b(140, 130), c(150, 130);
  for (int i = 0; i < 140; i++)
    for (int j = 0; j < 130; j++)
      a(i, j) = i * 0.5 - j, b(i, j) = j * 0.25 + i;
  kernel(c, a, b);
  show(c.data(), 150 * 130 * sizeof(double));
}
