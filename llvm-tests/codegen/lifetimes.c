// Variables that begin to live inside of loops may share memory where no two of them live at a time. New code lets all
// live at once, and says so.

// RUN: %clang -O3 -march=x86-64-v3 -Xclang -load -Xclang %plugin -fpass-plugin=%plugin \
// RUN:   -mllvm -polyrs-process-unprofitable \
// RUN:   -Rpass=polyrs %s -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.alone
// RUN: %t > %t.out
// RUN: %t.alone | diff - %t.out
// REMARK: remark: loops reordered
#include <stdio.h>
typedef struct {
  float e[2];
} V;
static V scale(const V *a, float s) {
  V r;
  for (int i = 0; i < 2; i++)
    r.e[i] = a->e[i] * s;
  return r;
}
__attribute__((noinline)) void kernel(int n, V *o, const V *b) {
  for (int i = 0; i < n; i++) {
    V v = scale(b + i, 3.f);
    V w;
    for (int k = 0; k < 2; k++)
      w.e[k] = b[i].e[k] + v.e[k];
    o[i] = w;
  }
}
int main(void) {
  static V b[100], o[100];
  for (int i = 0; i < 100; i++)
    b[i].e[0] = i * 37 % 101 / 8.0f, b[i].e[1] = i * 7 % 61 / 9.0f;
  kernel(100, o, b);
  for (int i = 0; i < 100; i++)
    printf("%a %a\n", o[i].e[0], o[i].e[1]);
}
