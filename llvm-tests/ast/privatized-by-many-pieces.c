// Whether the last iteration of a loop in threads writes all of a scalar's copies is asked of bounds with many pieces:
// what is too much to look at is a spent budget, and takes no time.

// RUN: timeout 60 %clang -O3 -w -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -mllvm -polyrs-tile-sizes=2,3,4 -mllvm -polyrs-process-unprofitable -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fsanitize=array-bounds -fsanitize-trap=all -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s

// CHECK: remark: loops {{reordered|not optimized: the budget}}
static unsigned A1[1];
static unsigned A2[3][3][3];

__attribute__((noinline, weak)) void kernel(int n, int m) {
  for (int i0 = 0; i0 < n; i0++) {
    for (int i5 = n - 1; i5 >= 0; i5--) {
    }
    for (long i7 = 0; i7 < n; i7++) {
      for (int i8 = 0; i8 < n; i8++) {
        unsigned s2 = 1;
        for (int i9 = n - 1; i9 >= i0; i9--)
          A1[0] = 3;
        A2[i7][i8][i0] = s2;
      }
    }
  }
}

unsigned run(int n) {
  kernel(n, n);
  return A1[0] + A2[0][0][0] + A2[1][1][1] + A2[2][2][2];
}
