// Bounds cut to 8 or 16 bits: the loops run as far as the cut value, not as far as its type.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-ast>' -polyrs-process-unprofitable -polyrs-default-tile-size=32 -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %clang -O3 -DMAIN %s -o %t.old
// RUN: %clang -O3 -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable %s -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: timeout 20 %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define N 300
double A[N][N], B[N][N], C[N][N];

// CHECK: for (c0 = 0; c0 <= floord(p0 - 1, 32); c0++) {
// CHECK-NOT: 65534
// CHECK: Stmt0(
__attribute__((noinline)) void product(unsigned n) {
  unsigned short m = n;
  for (unsigned short i = 0; i < m; i++)
    for (unsigned short j = 0; j < m; j++)
      for (unsigned short k = 0; k < m; k++)
        C[i][j] += A[i][k] * B[k][j];
}

// CHECK-NOT: {{254|32766}}
// CHECK: Stmt0(
__attribute__((noinline)) void transposed(long n, long m) {
  short rows = n;
  unsigned char columns = m;
  for (short i = 0; i < rows; i++)
    for (unsigned char j = 0; j < columns; j++)
      C[j][i] += A[i][j];
}

#ifdef MAIN
int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = i * 0.5 - j;
      B[i][j] = j * 0.25 + i;
    }
  static const long sizes[] = {5, 0, 65536, 65536 + 7, 255, 131072 + 64, -1, -65536 + 3};
  for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    unsigned short m = sizes[k];
    if (m <= N)
      product(sizes[k]);
    short rows = sizes[k];
    if (rows <= N)
      transposed(sizes[k], sizes[(k + 1) % 8]);
    double sum = 0;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        sum = sum * 1.0000001 + C[i][j];
    printf("%ld %a\n", sizes[k], sum);
  }
}
#endif
