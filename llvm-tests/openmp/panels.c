// In threads, strips of an array's columns stand in panels of the loop that carries dependences around them: the strips
// behind a panel are shared, so that threads start once for each panel. Results keep their bits.

// REQUIRES: libomp
// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -gline-tables-only -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -polyrs-parallel -pass-remarks=polyrs -polyrs-fatal-bugs -polyrs-verify-ast -polyrs-print-after=ast -S %t.ll -o %t.new.ll 2>&1 | FileCheck %s
// RUN: %clang -O3 -ffp-contract=off %s -o %t.old -lm
// RUN: %clang -O3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-fatal-bugs %s -o %t.new -lm -lomp
// RUN: %t.old > %t.old.txt
// RUN: env OMP_NUM_THREADS=1 %t.new > %t.1.txt
// RUN: env OMP_NUM_THREADS=2 %t.new > %t.2.txt
// RUN: env OMP_NUM_THREADS=7 %t.new > %t.7.txt
// RUN: diff %t.old.txt %t.1.txt
// RUN: diff %t.old.txt %t.2.txt
// RUN: diff %t.old.txt %t.7.txt

#include <math.h>
#include <stdio.h>

enum { M = 97, N = 1111 };
static double a[M][N], r[N][N], q[M][N];

// One iteration of k, in which what is subtracted from column j begins with FIRST.
#define STEP(FIRST) \
    double norm = 0; \
    for (int i = 0; i < M; i++) \
      norm += a[i][k] * a[i][k]; \
    r[k][k] = sqrt(norm); \
    for (int i = 0; i < M; i++) \
      q[i][k] = a[i][k] / r[k][k]; \
    for (int j = k + 1; j < N; j++) { \
      r[k][j] = FIRST; \
      for (int i = 0; i < M; i++) \
        r[k][j] += q[i][k] * a[i][j]; \
      for (int i = 0; i < M; i++) \
        a[i][j] -= q[i][k] * r[k][j]; \
    }

// The columns behind a panel know nothing of each other.
// CHECK: #pragma parallel
// CHECK: for ([[J:c[0-9]+]] = [[K:c[0-9]+]] + 1; [[J]] <= 17; [[J]]++) {
// CHECK-NEXT: for ([[I:c[0-9]+]] = 64 * [[K]]; [[I]] <= 64 * [[K]] + 63; [[I]]++) {
// CHECK: panels.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}in panels of 64, in threads
__attribute__((noinline)) void orthonormal(void) {
  for (int k = 0; k < N; k++) {
    STEP(0)
  }
}

// Here each column takes from the one before it: strips have to wait for each other.
// CHECK-NOT: in panels of
__attribute__((noinline)) void chained(void) {
  for (int k = 0; k < N; k++) {
    STEP(r[k][j - 1] / 64)
  }
}

static void start(void) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (i * 7 + j * 13 + i * j) % 101 / 51.0 - 0.9;
}

static void tell(void) {
  double sum = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      sum = sum * 1.0000003 + a[i][j] + 3 * q[i][j] + 5 * r[i % 90][j];
  printf("%a\n", sum);
}

int main(void) {
  start();
  orthonormal();
  tell();
  start();
  chained();
  tell();
}
