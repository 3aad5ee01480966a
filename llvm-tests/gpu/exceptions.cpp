// Functions that handle exceptions have kernels: nothing in those unwinds.

// RUN: %clang -O3 -I%rt_h %s -o %t.host -lstdc++
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -I%rt_h %s -o %t.gpu -lstdc++ -L%rt -lpolyrs_rt
// RUN: %emulator %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu 2>&1 | FileCheck %s
// CHECK-COUNT-3: device (PTX emulator): 1 launches

#include <cstdio>
#include <polyrs_rt.h>
#include <stdexcept>
#include <vector>

static_assert(POLYRS_GPU_VERSION == 2, "the header is one of C++, too");

template <class T> static void scale(std::vector<T> &v, T k) {
  for (T &x : v)
    x = x * k + 1;
}

__attribute__((noinline)) static int some(std::vector<double> &v, int n) {
  try {
    scale(v, 2.0);
    if (n > 2)
      throw std::runtime_error("much");
    scale(v, 3.0);
  } catch (const std::runtime_error &) {
    scale(v, 5.0);
    return 1;
  }
  return 0;
}

int main() {
  std::vector<double> a(1000, 1.5);
  std::vector<float> b(333, 2.5f);
  int thrown = some(a, 1) + some(a, 5);
  scale(b, 3.0f);
  double sum = b[332];
  for (double x : a)
    sum += x;
  std::printf("%d %a\n", thrown, sum);
}
