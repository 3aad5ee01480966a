// A loop that carries dependences around several walks through one array: it runs in strips of the array's columns, in
// each of which all iterations of the outer loop find them in a cache. Results keep their bits.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -gline-tables-only -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -polyrs-fatal-bugs -polyrs-verify-ast -S %t.ll -o %t.new.ll 2>&1 | FileCheck %s
// RUN: %clang -O3 -ffp-contract=off -DMAIN %s -o %t.old -lm
// RUN: %clang -O3 -ffp-contract=off -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.new -lm
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <math.h>
#include <stdio.h>

// CHECK: strips-around.c:[[#@LINE+33]]:{{[0-9]+}}: loops reordered: {{.*}}in strips of {{16|32|64}}
// CHECK: strips-around.c:[[#@LINE+33]]:{{[0-9]+}}: loops reordered: {{.*}}in strips of {{16|32|64}}
#define ORTHONORMAL(NAME, M, N) \
  static double NAME##_a[M][N], NAME##_r[N][N], NAME##_q[M][N]; \
  __attribute__((noinline)) void NAME(double a[restrict M][N], double r[restrict N][N], double q[restrict M][N]) { \
    for (int k = 0; k < N; k++) { \
      double norm = 0; \
      for (int i = 0; i < M; i++) \
        norm += a[i][k] * a[i][k]; \
      r[k][k] = sqrt(norm); \
      for (int i = 0; i < M; i++) \
        q[i][k] = a[i][k] / r[k][k]; \
      for (int j = k + 1; j < N; j++) { \
        r[k][j] = 0; \
        for (int i = 0; i < M; i++) \
          r[k][j] += q[i][k] * a[i][j]; \
        for (int i = 0; i < M; i++) \
          a[i][j] -= q[i][k] * r[k][j]; \
      } \
    } \
  } \
  static void run_##NAME(void) { \
    double sum = 0; \
    for (int i = 0; i < M; i++) \
      for (int j = 0; j < N; j++) \
        NAME##_a[i][j] = (i * 7 + j * 13 + i * j) % 101 / 51.0 - 0.9; \
    NAME(NAME##_a, NAME##_r, NAME##_q); \
    for (int i = 0; i < M; i++) \
      for (int j = 0; j < N; j++) \
        sum = sum * 1.0000003 + NAME##_a[i][j] + 3 * NAME##_q[i][j] + 5 * NAME##_r[i % 90][j]; \
    printf("%a\n", sum); \
  }

ORTHONORMAL(even, 100, 1088)
ORTHONORMAL(odd, 97, 1111)

#ifdef MAIN
int main(void) {
  run_even();
  run_odd();
}
#endif
