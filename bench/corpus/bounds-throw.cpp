// expect: rewritten, 17 times. A matrix class whose accessor throws.
#include "corpus.h"
#include <stdexcept>
#include <vector>
class Matrix {
  int Rows, Columns;
  std::vector<double> Data;
public:
  Matrix(int Rows, int Columns, double First) : Rows(Rows), Columns(Columns), Data(Rows * Columns, First) {}
  double &at(int I, int J) {
    if (I < 0 || I >= Rows || J < 0 || J >= Columns)
      throw std::out_of_range("no such element");
    return Data[(long)I * Columns + J];
  }
  const double *data() const { return Data.data(); }
};
KERNEL void kernel(Matrix &C, Matrix &A, Matrix &B, int N) {
  for (int I = 0; I < N; I++)
    for (int J = 0; J < N; J++)
      for (int K = 0; K < N; K++)
        C.at(I, J) += A.at(I, K) * B.at(K, J);
}
int main() {
  Matrix A(150, 150, 1.5), B(150, 150, 0.25), C(150, 150, 0.125);
  kernel(C, A, B, 150);
  try {
    kernel(C, A, B, 151);
  } catch (const std::out_of_range &) {
    printf("caught\n");
  }
  show(C.data(), 150 * 150 * sizeof(double));
}
