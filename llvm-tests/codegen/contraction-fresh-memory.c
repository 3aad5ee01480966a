// A small product does not pay for memory that nobody used before: its original loops run until what they lose pays
// for that, in the same bits. A large one, and one whose original loops are much slower, has enough to do at once.

// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.packed
// RUN: %t.packed | diff %t.expected -
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s

// CHECK: @polyrs.done = internal {{.*}}global i64 1
// CHECK-NOT: @polyrs.done.
// CHECK-LABEL: @small(
// CHECK: load atomic i64, ptr @polyrs.done monotonic
// CHECK-DAG: store atomic i64 {{.*}}, ptr @polyrs.done monotonic
// CHECK-DAG: call {{.*}}@small.polyrs.0(
// CHECK-LABEL: @large(
// CHECK-NOT: atomic
// CHECK: call {{.*}}@polyrs.contraction
// CHECK-NOT: atomic
// CHECK-LABEL: @main(
// CHECK: define internal {{.*}}@small.polyrs.0(
// CHECK: call {{.*}}@polyrs.contraction

#include <stdio.h>
#include <string.h>

#define FEW 32
#define MANY 700
double A[MANY][MANY], B[MANY][MANY], C[MANY][MANY];
double a[FEW][FEW], b[FEW][FEW], c[FEW][FEW];

__attribute__((noinline)) void small(void) {
  for (int i = 0; i < FEW; i++)
    for (int k = 0; k < FEW; k++)
      for (int j = 0; j < FEW; j++)
        c[i][j] += a[i][k] * b[k][j];
}

__attribute__((noinline)) void large(void) {
  for (int i = 0; i < MANY; i++)
    for (int k = 0; k < MANY; k++)
      for (int j = 0; j < MANY; j++)
        C[i][j] += A[i][k] * B[k][j];
}

int main(void) {
  for (int i = 0; i < MANY; i++)
    for (int k = 0; k < MANY; k++) {
      A[i][k] = (i * 7 + k * 3) % 101 / 7.0;
      B[i][k] = (i * 5 + k * 11) % 103 / 9.0;
    }
  for (int i = 0; i < FEW; i++)
    for (int k = 0; k < FEW; k++) {
      a[i][k] = A[i][k];
      b[i][k] = B[i][k];
    }
  unsigned long long hash = 0, bits;
  for (int again = 0; again < 9; again++) {
    small();
    for (int i = 0; i < FEW * FEW; i++) {
      memcpy(&bits, &c[0][0] + i, 8);
      hash = hash * 31 + bits;
    }
  }
  large();
  for (int i = 0; i < MANY * MANY; i++) {
    memcpy(&bits, &C[0][0] + i, 8);
    hash = hash * 31 + bits;
  }
  printf("%016llx\n", hash);
  return 0;
}
