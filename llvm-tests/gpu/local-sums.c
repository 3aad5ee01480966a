// Sums of integers in local variables: where an array's element holds them, as with other types, kernels have tiles;
// where the host's loops keep local variables in arrays for strips, kernels run the loops without these.

// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -Rpass=polyrs -Rpass-missed=polyrs %s -o %t.gpu -L%rt -lpolyrs_rt 2> %t.remarks
// RUN: not grep "get no kernel\|internal error" %t.remarks
// RUN: grep "scalars in arrays for strips.*with kernels for a GPU" %t.remarks
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s --check-prefix=RAN < %t.log
// RAN-NOT: ptx-emulator:
// RAN-DAG: polyrs: ints:0: device (PTX emulator):
// RAN-DAG: polyrs: longs:0: device (PTX emulator):
// RAN-DAG: polyrs: columns:0: device (PTX emulator):
// RAN-DAG: polyrs: behind:0: device (PTX emulator):
// RAN-DAG: polyrs: two_sums:0: device (PTX emulator):
// RUN: %emulator PTX_EMULATOR_ORDER=random=4 %t.gpu 2>&1 | diff %t.expected -
// RUN: %emulator PTX_EMULATOR_GRID=1 %t.gpu 2>&1 | diff %t.expected -
// RUN: %no_driver POLYRS_GPU=auto %t.gpu 2>&1 | diff %t.expected -
// RUN: %python %root/llvm-tests/gpu/Inputs/faults.py %t.expected 3 %emulator %t.gpu

// Threads of the host beside them.
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force %s -o %t.both -L%rt -lpolyrs_rt -fopenmp
// RUN: %emulator %t.both 2>&1 | diff %t.expected -
// RUN: %no_driver POLYRS_GPU=auto %t.both 2>&1 | diff %t.expected -

// RUN: %polyrs explain --gpu %s 2>&1 | FileCheck %s
// CHECK: polyrs_ints_{{.*}}: grid floord(m - 1, 256) + 1 x floord(n - 1, 32) + 1 x 1, block 32 x 4 x 1

#include "Inputs/tell.h"
#include <string.h>

__attribute__((noinline)) void ints(int n, int m, int k, int a[restrict n][k], int b[restrict k][m], int c[restrict n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int sum = 0;
      for (int l = 0; l < k; l++)
        sum += a[i][l] * b[l][j];
      c[i][j] = sum;
    }
}

__attribute__((noinline)) void longs(int n, long a[restrict n][n], long b[restrict n][n], long c[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      long sum = c[i][j];
      for (int k = 0; k < n; k++)
        sum += a[k][i] * b[j][k];
      c[i][j] = sum;
    }
}

__attribute__((noinline)) void columns(int n, int m, unsigned a[restrict n][m], unsigned long sums[restrict m]) {
  for (int j = 0; j < m; j++) {
    unsigned long sum = 0;
    for (int i = 0; i < n; i++)
      sum += a[i][j];
    sums[j] = sum;
  }
}

// Where nothing is added up the element is stored as well.
__attribute__((noinline)) void behind(int n, int m, short a[restrict n][m], short b[restrict n], int c[restrict n]) {
  for (int i = 0; i < n; i++) {
    int sum = b[i];
    for (int j = 0; j < i; j++)
      sum -= a[i][j];
    c[i] = 3 * sum + 1;
  }
}

// PolyBench's symm, with integers: another sum beside that of the element.
__attribute__((noinline)) void two_sums(int m, int n, int a[restrict m][m], int b[restrict m][n], int c[restrict m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int sum = 0;
      for (int k = 0; k < i; k++) {
        c[k][j] += 3 * b[i][j] * a[i][k];
        sum += b[k][j] * a[i][k];
      }
      c[i][j] = 2 * c[i][j] + 3 * b[i][j] * a[i][i] + sum;
    }
}

int main(void) {
  enum { SIZE = 8192 };
  static long a[SIZE], b[SIZE], c[SIZE];
  const int sizes[][3] = {{1, 1, 1}, {33, 41, 7}, {0, 3, 2}, {40, 1, 0}, {70, 65, 19}};
  for (int s = 0; s < 5; s++) {
    const int *n = sizes[s];
    for (int i = 0; i < SIZE; i++) {
      a[i] = i * 0x9e3779b97f4a7c15;
      b[i] = a[i] ^ a[i] >> 29;
      c[i] = b[i] * 0x2545f4914f6cdd1d;
    }
    ints(n[0], n[1], n[2], (void *)a, (void *)b, (void *)c);
    tell("ints", c, sizeof c);
    longs(n[0], (void *)a, (void *)b, (void *)c);
    tell("longs", c, sizeof c);
    columns(n[0], n[1], (void *)a, (void *)c);
    tell("columns", c, sizeof c);
    behind(n[0], n[0], (void *)a, (void *)b, (void *)c);
    tell("behind", c, sizeof c);
    two_sums(n[0], n[1], (void *)a, (void *)b, (void *)c);
    tell("two sums", c, sizeof c);
  }
  return 0;
}
