// A maximum of bytes that runs through three loops. It is compared as a number of 32 bits, which is made in front of
// the innermost loop and used behind it: what is alive between blocks has to be of the type of the array that a running
// value lives in, or scalars stay apart. (Many scalars, as here by the tests of the subscripts, let values that any
// operation makes run.)

// RUN: %clang -O3 -march=x86-64-v3 -fno-vectorize -fno-slp-vectorize -Xclang -load -Xclang %plugin -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable -Rpass=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %clang -O1 %s -DMAIN -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fno-vectorize -fno-slp-vectorize %s -DMAIN -Xclang -load -Xclang %plugin -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable -o %t.new
// RUN: %t.new | diff %t.expected -

#include <stdlib.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef unsigned char byte;

static inline __attribute__((always_inline)) long checked(long index, long size) {
  if (index < 0 || index >= size) abort();
  return index;
}

// CHECK: remark: loops reordered
__attribute__((noinline)) void sweep(int n, int m, int rows, byte **b, byte a[], byte c[], byte v[]) {
  for (int i = 0; i < rows; i++) {
    byte s = 1;
    for (long x = 3; x < n - 1; x++)
      for (int j = i + 3; j < m; j++) {
        for (int k = 1; k < j + 2; k++) v[k - 1] = v[k - 1] - 1;
        s = MAX((unsigned)s, ((unsigned)a[checked(i + 2, 18)] +
                              ((unsigned)b[checked(j - 3, 13)][2 * j - 6] - (unsigned)c[checked(i, 39)])));
      }
    a[checked(3, 18)] = s;
  }
}

#ifdef MAIN
#include <stdio.h>

int main(void) {
  static byte a[64], rows[16][32], c[64], v[64], *b[16];
  for (int n = 4; n < 20; n += 3)
    for (int m = 3; m < 16; m += 2) {
      for (int e = 0; e < 64; e++) a[e] = e * 7 % 90, c[e] = e % 60, v[e] = e;
      for (int e = 0; e < 512; e++) rows[e / 32][e % 32] = 60 + e * 37 % 101, b[e / 32] = rows[e / 32];
      sweep(n, m, 1 + n % 3, b, a, c, v);
      for (int e = 0; e < 64; e++) printf("%d %d\n", v[e], a[e]);
    }
}
#endif
