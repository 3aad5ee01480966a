// Tests that end the program are assumed to pass, which is tested before the loops; a test of data cannot be.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable;fatal-bugs>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='print<polyrs-scops>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: %clang -O2 -w %s -o %t.plain
// RUN: %clang -O2 -w -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs %s -o %t.polyrs
// RUN: %t.plain > %t.expected
// RUN: %t.polyrs > %t.got
// RUN: cmp %t.expected %t.got

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64
double A[N * N], B[N * N];
jmp_buf Jump;

// The real thing ends the program; here it jumps back, so that what was stored before can be seen.
__attribute__((noreturn, noinline)) void give_up(int code) { longjmp(Jump, code); }

// CHECK: loops reordered: {{.*}}, if a run-time check allows it (assumed: no test ends the program)
// MODEL-LABEL: scop affine:0
// MODEL: invalid: {{.*}} { : {{.*}}
// MODEL-NOT: tested
// MODEL-LABEL: scop product:0
__attribute__((noinline)) void affine(int n, int limit) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      if (i + j > limit)
        give_up(1);
      A[i * N + j] += B[i * N + j];
    }
}

// The product of two values that are known only when the program runs is tested as it is.
// CHECK: loops reordered: {{.*}}, if a run-time check allows it (assumed: no test ends the program)
// MODEL: tested: {{.*p[0-9] p[0-9].*}}
__attribute__((noinline)) void product(int n, int m, long size) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) {
      if ((long)i * m + j >= size)
        give_up(2);
      A[(long)i * m + j] += B[(long)i * m + j];
    }
}

// A value that only the error reports, and one that the function uses behind as well.
// CHECK: loops reordered: {{.*}}, if a run-time check allows it (assumed: no test ends the program)
int Seen;
__attribute__((noinline)) int reports(int n, int limit) {
  int i = 0;
  for (int j = 0; j < n; j++)
    for (i = 0; i < n; i++) {
      if (i + j > limit) {
        Seen = i * 1000 + j;
        give_up(3);
      }
      A[i * N + j] += B[j * N + i];
    }
  return i;
}

// What never holds is not assumed.
// CHECK: loops not optimized: this call is taken for an error or a message that the loops do not come to, and they do
// MODEL-NOT: scop always
__attribute__((noinline)) void always(int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      A[i * N + j] += 1;
      if (i + j < 2 * n)
        give_up(4);
    }
}

// CHECK: loops not optimized: this condition is not affine {{.*}} (of an error that ends the program)
// MODEL-NOT: scop data
__attribute__((noinline)) void data(int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      if (B[i * N + j] > 1000)
        give_up(5);
      A[i * N + j] += 1;
    }
}

// A message that is not printed as a rule is no obstacle.
// CHECK: loops reordered: {{.*}}, if a run-time check allows it
__attribute__((noinline)) void told(int n, int verbose) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      if (verbose)
        printf("%d %d\n", i, j);
      A[i * N + j] += B[i * N + j];
    }
}

static void show(void) {
  unsigned long hash = 0;
  for (int k = 0; k < N * N; k++) {
    unsigned long bits;
    memcpy(&bits, &A[k], sizeof bits);
    hash = hash * 31 + bits;
  }
  printf("%lx %d\n", hash, Seen);
}

#define TRY(CALL)                                                                                                              \
  do {                                                                                                                         \
    int code = setjmp(Jump);                                                                                                   \
    if (code == 0)                                                                                                             \
      CALL;                                                                                                                    \
    printf(#CALL " ends with %d: ", code);                                                                                     \
    show();                                                                                                                    \
  } while (0)

int main(void) {
  for (int k = 0; k < N * N; k++)
    A[k] = k % 7, B[k] = k % 11;
  TRY(affine(40, 100));
  TRY(affine(40, 78));
  TRY(affine(40, 77));
  TRY(affine(40, -1));
  TRY(affine(0, -1));
  TRY(product(40, 50, 2000));
  TRY(product(40, 50, 1999));
  TRY(product(40, 50, 7));
  TRY(product(0, 50, -7));
  TRY(product(40, 0, -7));
  TRY(reports(40, 100));
  TRY(reports(40, 30));
  TRY(always(3));
  B[N * 3 + 5] = 2000;
  TRY(data(20));
  TRY(told(30, 0));
  TRY(told(2, 1));
  return 0;
}
