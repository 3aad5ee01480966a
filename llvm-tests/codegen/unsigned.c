// Unsigned and narrow loop counters, which may wrap.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}5 regions transformed

#include "dump.h"

#define N 40
static double A[N][N], b[256];

KERNEL void counters(unsigned n, unsigned m) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++)
      A[j][i] += b[i + j];
}

KERNEL void offset(unsigned n, unsigned shift) {
  for (unsigned i = 0; i < n; i++)
    b[i + shift] = b[i + shift] * 2.0 + 1.0;
}

KERNEL void chars(unsigned char n) {
  for (unsigned char i = 0; i < n; i++)
    b[(unsigned char)(i + 200)] += 3.0;
}

KERNEL void wrapped(unsigned lo, unsigned n, unsigned shift) {
  for (unsigned i = lo; i < n; i++)
    b[i + shift] = b[i + shift] * 3.0 - 1.0;
}

int main(void) {
  fill(&A[0][0], N * N, 1);
  fill(b, 256, 2);
  counters(N, N - 1);
  counters(0, 7);
  offset(10, 3);
  offset(0, -5u);
  chars(100);
  wrapped(5, 10, -5u);
  wrapped(3, 90, 0x80000000u - 0x7ffffff0u);
  wrapped(0x80000000u, 0x80000009u, -0x80000000u);
  dump("A", A, sizeof A);
  dump("b", b, sizeof b);
}
