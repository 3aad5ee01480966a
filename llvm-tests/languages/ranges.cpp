// Loops over ranges of C++ end at a pointer: how far that is from the first one is a size, and each of the two alone
// none, whose address would be larger than any. The new code runs.
// RUN: %polyrs c++ -O3 -polyrs-trace %s -o %t && %t 2>&1 | FileCheck %s
// RUN: %polyrs explain %s | FileCheck %s --check-prefix=SIZES
// RUN: %clang -O3 %s -o %t.plain -lstdc++ && %t.plain > %t.txt && %t 2> /dev/null | cmp - %t.txt

#include <cstdio>
#include <vector>

struct Point {
  double x, y, z;
};

// Elements of 24 bytes, of 8 and of one.
__attribute__((noinline)) void points(std::vector<Point> &to, const std::vector<Point> &from) {
  for (auto &a : to)
    for (auto &b : from)
      a.x += b.x * a.y;
}
__attribute__((noinline)) void numbers(std::vector<double> &to, const std::vector<double> &from) {
  for (auto &a : to)
    for (auto &b : from)
      a += b;
}
__attribute__((noinline)) void bytes(std::vector<unsigned char> &to, const std::vector<unsigned char> &from) {
  for (auto &a : to)
    for (auto &b : from)
      a += b;
}

// CHECK-DAG: polyrs: {{.*}}points{{.*}}: new code
// CHECK-DAG: polyrs: {{.*}}numbers{{.*}}: new code
// SIZES: points: rewritten:
// SIZES-NOT: without a name
// SIZES: it pays where {{.*}}from.size()
// SIZES: numbers: rewritten:

int main() {
  std::vector<Point> p(6001, {1e-9, 2, 3}), q(5999, {1e-9, 2, 3});
  std::vector<double> x(7001, 1e-9), y(6999, 1e-9);
  std::vector<unsigned char> b(7001, 3), c(6999, 5);
  points(p, q);
  numbers(x, y);
  bytes(b, c);
  // Nothing to do: the last one is behind the first one.
  std::vector<double> none;
  numbers(none, x);
  numbers(x, none);
  std::printf("%.17g %.17g %d\n", p[5000].x, x[6000], b[3]);
}
