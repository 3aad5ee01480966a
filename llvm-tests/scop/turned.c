// Subscripts in unsigned numbers that count down from a size: `x * h + h - 1 - y` is no product of (x + 1) and h less
// something, but x * h and h - 1 - y, neither below zero where the loops run.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -disable-output 2>&1 | FileCheck %s
// RUN: %clang -O3 -DMAIN %s -o %t.old && %t.old > %t.expected
// RUN: %clang -O3 -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs -mllvm -polyrs-trace %s \
// RUN:   -o %t.new
// RUN: %t.new 2> %t.ran | diff - %t.expected && FileCheck %s --check-prefix=RAN < %t.ran

#include <stdio.h>
#include <stdlib.h>

// RAN-DAG: turn:0: new code
// CHECK-LABEL: scop turn:0
// CHECK-NOT: invalid: {{.*}}: 1 <= p0 <= 2147483647 and 1 <= p1 <= 2147483647 }
// CHECK: invalid: {{.*}}46340 <= p
// CHECK: must_write
__attribute__((noinline)) void turn(const unsigned *restrict from, unsigned *restrict to, unsigned w, unsigned h) {
  for (unsigned y = 0; y < h; y++)
    for (unsigned x = 0; x < w; x++)
      to[x * h + (h - 1 - y)] = from[y * w + x];
}

// Where it may be below zero, that is still what must not be.
// CHECK-LABEL: scop shift:0
// CHECK: invalid: {{.*}}p{{.}} <= 
// CHECK: must_write
__attribute__((noinline)) void shift(const unsigned *restrict from, unsigned *restrict to, unsigned w, unsigned h, unsigned d) {
  for (unsigned y = 0; y < h; y++)
    for (unsigned x = 0; x < w; x++)
      to[x * h + (h - d - y)] = from[y * w + x];
}

#ifdef MAIN
int main(void) {
  unsigned *a = malloc(100 * 90 * 4), *b = calloc(100 * 90 + 400, 4);
  for (int k = 0; k < 9000; k++)
    a[k] = k * 7919u;
  unsigned hash = 0;
  for (unsigned w = 0; w <= 90; w += 30)
    for (unsigned h = 0; h <= 100; h += 25) {
      turn(a, b, w, h);
      // Below zero and up again: 2^32 - 1 and more, of which the low bits count in the original code.
      for (unsigned d = 0; d < 2; d++)
        shift(a, b + 200, w, h, d);
      for (int k = 0; k < 9400; k++)
        hash = hash * 31 + b[k];
      printf("%u\n", hash);
    }
  return 0;
}
#endif
