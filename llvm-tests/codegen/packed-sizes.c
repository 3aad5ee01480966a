// Unsigned sizes side by side in one register: addresses take the number that they name, not the register.

// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}2 regions transformed

#include <stdio.h>

struct sizes {
  unsigned rows, columns;
};

__attribute__((noinline)) void sums(struct sizes s, const double *a, double *b) {
  for (unsigned i = 0; i < s.rows; i++) {
    double sum = 0;
    for (unsigned k = 0; k < s.columns; k++)
      sum += a[k * s.rows + i];
    b[i] = sum;
  }
}

__attribute__((noinline)) void turned(struct sizes s, const double *a, double *b) {
  for (unsigned j = 0; j < s.columns; j++)
    for (unsigned i = 0; i < s.rows; i++)
      b[j * s.rows + i] += a[i * s.columns + j];
}

double a[9000], b[9000];

__attribute__((optnone, noinline)) int main(void) {
  for (unsigned r = 0; r < 95; r += 13)
    for (unsigned c = 0; c < 95; c += 11) {
      for (int i = 0; i < 9000; i++)
        a[i] = i % 97, b[i] = i % 89;
      struct sizes s = {r, c};
      sums(s, a, b);
      turned(s, a, b);
      double all = 0;
      for (int i = 0; i < 9000; i++)
        all += i % 31 * b[i];
      printf("%u %u %a\n", r, c, all);
    }
}
