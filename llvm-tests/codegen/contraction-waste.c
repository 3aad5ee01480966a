// Integers gain little from packing: a vector product takes several instructions. Where much of the tiles would be
// empty, or copying takes long beside the updates, the original loops run; sizes are known at run time only.

// RUN: %clang -O3 -march=x86-64-v4 -fno-discard-value-names -fpass-plugin=%plugin -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s --input-file=%t.ll
// RUN: %opt -internalize-public-api-list=main -passes=internalize,ipsccp,simplifycfg,globaldce -S %t.ll | FileCheck %s --check-prefix=KNOWN
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.packed
// RUN: %t.packed | diff %t.expected -

#include <stdio.h>

#define PRODUCT(name, T)                                                                                               \
  __attribute__((noinline)) void name(long n, long p, long m, T *restrict A, T *restrict B, T *restrict C) {           \
    for (long i = 0; i < n; i++)                                                                                       \
      for (long k = 0; k < m; k++)                                                                                     \
        for (long j = 0; j < p; j++)                                                                                   \
          C[i * 128 + j] += A[i * 128 + k] * B[k * 128 + j];                                                           \
  }

// CHECK-LABEL: define {{.*}} @in_halves(
// CHECK: polyrs.pays
// CHECK-LABEL: define {{.*}} @in_wholes(
// CHECK: polyrs.pays
// CHECK-LABEL: define {{.*}} @in_doubles(
// CHECK-NOT: polyrs.pays
// CHECK-LABEL: define {{.*}} @main(

// KNOWN-LABEL: define {{.*}} @in_halves(
// KNOWN-NOT: call {{.*}}@in_halves.polyrs
// KNOWN-LABEL: define {{.*}} @in_wholes(
// KNOWN: call {{.*}}@in_wholes.polyrs
// KNOWN-LABEL: define {{.*}} @in_doubles(
PRODUCT(in_halves, long)
PRODUCT(in_wholes, long)
PRODUCT(in_doubles, double)

static long A[128 * 128], B[128 * 128], C[128 * 128];
static double a[128 * 128], b[128 * 128], c[128 * 128];

int main(void) {
  for (int i = 0; i < 128 * 128; i++) {
    A[i] = i % 101, B[i] = i % 103;
    a[i] = i % 101, b[i] = i % 103;
  }
  for (int again = 0; again < 3; again++) {
    in_halves(32, 32, 100, A, B, C);
    in_wholes(90, 96, 100, A, B, C);
    in_doubles(32, 32, 100, a, b, c);
  }
  long sum = 0;
  double of_doubles = 0;
  for (int i = 0; i < 128 * 128; i++) {
    sum = sum * 31 + C[i];
    of_doubles = of_doubles / 3 + c[i];
  }
  printf("%ld %a\n", sum, of_doubles);
}
