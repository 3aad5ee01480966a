// A product of vectors of vectors that makes its result: that this is not too long is a test of a size times 2 to the
// power of 32. What is known of the sizes is in lowest terms: with such large coefficients nothing followed from it,
// and each loop and each copy of the statement stood in a test of all bounds.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-print-after=ast %s -c -o %t.o 2> %t.ast
// RUN: FileCheck %s < %t.ast

#include <vector>

using Matrix = std::vector<std::vector<double>>;

// CHECK: for (c0 = 0; c0 <= floord(p0 - 1, 64); c0++)
// CHECK-NOT: if (p0
// CHECK: if (p2 >= 16 * c1 + 16) {
// CHECK-NOT: if (
// CHECK: } else {
// CHECK-NOT: if (
Matrix multiply(const Matrix &a, const Matrix &b) {
  int n = a.size(), m = b[0].size(), p = b.size();
  Matrix c(n, std::vector<double>(m, 0.0));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < p; k++)
        c[i][j] += a[i][k] * b[k][j];
  return c;
}
