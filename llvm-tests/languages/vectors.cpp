// Nests over vectors, with their sizes asked in each iteration: as parameters by reference, as members, of float. That
// a vector is empty is a comparison of pointers, which stands in front of the region. The results are those of the old
// code, also where vectors are empty, or one and the same.

// RUN: %clang -O3 %s -o %t.old -lstdc++
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs -mllvm -polyrs-default-tile-size=4 \
// RUN:   -gline-tables-only -Rpass=polyrs %s -o %t.new -lstdc++ 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <cstdio>
#include <vector>

#define KERNEL __attribute__((noinline)) void

// CHECK-DAG: vectors.cpp:[[#@LINE+2]]:{{.*}} loops reordered
KERNEL sums(std::vector<double> &c, const std::vector<double> &a, const std::vector<double> &b) {
  for (std::size_t j = 0; j < b.size(); j++)
    for (std::size_t i = 0; i < a.size(); i++)
      c[i] += a[i] * b[j];
}

// CHECK-DAG: vectors.cpp:[[#@LINE+2]]:{{.*}} loops reordered
KERNEL products(std::vector<float> &c, const std::vector<float> &a, const std::vector<float> &b, std::size_t row) {
  for (std::size_t i = 0; i < a.size(); i++)
    for (std::size_t j = 0; j < b.size(); j++)
      c[j * row + i] += a[i] * b[j];
}

struct Model {
  std::vector<double> weights, inputs, outputs;
  KERNEL apply();
};

// CHECK-DAG: vectors.cpp:[[#@LINE+2]]:{{.*}} loops reordered
KERNEL Model::apply() {
  for (std::size_t j = 0; j < inputs.size(); j++)
    for (std::size_t i = 0; i < outputs.size(); i++)
      outputs[i] += weights[i * 40 + j] * inputs[j];
}

template <typename T> static std::vector<T> filled(std::size_t n, int seed) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; i++)
    v[i] = T((i * 37 + seed * 101) % 1009) / 7 - 50;
  return v;
}

template <typename T> static void dump(const char *name, const std::vector<T> &v) {
  std::printf("%s", name);
  for (T x : v)
    std::printf(" %a", double(x));
  std::printf("\n");
}

static void run(std::size_t n, std::size_t m) {
  auto a = filled<double>(n, 1), b = filled<double>(m, 2), c = filled<double>(n, 3);
  sums(c, a, b);
  dump("sums", c);
  sums(a, a, b);
  dump("of itself", a);
  sums(a, a, a);
  dump("all the same", a);
  auto x = filled<float>(n, 4), y = filled<float>(m, 5), z = filled<float>(40 * 40, 6);
  products(z, x, y, 40);
  products(z, x, y, 0);
  products(z, y, x, 1);
  dump("products", z);
  Model model{filled<double>(40 * 40, 7), b, c};
  model.apply();
  dump("model", model.outputs);
}

int main() {
  std::size_t sizes[][2] = {{0, 0}, {0, 9}, {9, 0}, {1, 1}, {4, 17}, {17, 4}, {32, 40}, {40, 39}};
  for (auto &s : sizes)
    run(s[0], s[1]);
}
