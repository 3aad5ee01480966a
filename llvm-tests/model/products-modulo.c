// Sizes are multiplied modulo 2^64: rows that are 2^32 * 2^32 elements apart are one row, and an array that begins
// there begins where the memory does. New code runs where products are exact.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<print-after=scops>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -DMAIN %s -o %t.original && %t.original > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -DMAIN -fpass-plugin=%plugin -Xclang -load -Xclang %plugin \
// RUN:   -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs -mllvm -polyrs-trace %s -o %t.new
// RUN: %t.new > %t.printed 2> %t.said && diff %t.expected %t.printed
// RUN: FileCheck --check-prefix=RAN %s < %t.said
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Xclang -load -Xclang %plugin \
// RUN:   -mllvm -polyrs-process-unprofitable -Rpass-analysis=polyrs -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck --check-prefix=TOLD %s

#include <stddef.h>
#include <stdio.h>

// TOLD: no product of sizes is as large as 2 to the power of 60

// CHECK-LABEL: scop behind:0
// CHECK: tested: {{.*}}1152921504606846976
// CHECK-NEXT: tested: {{.*}}1152921504606846976
// CHECK-NEXT: array
// CHECK-LABEL: scop blocks:0
// CHECK: tested: {{.*}}1152921504606846976
// Products of two integers of 32 bits are exact.
// CHECK-LABEL: scop narrow:0
// CHECK-NOT: tested
// CHECK: stmt

__attribute__((noinline)) void behind(double *a, size_t n, size_t m, size_t p, size_t q, size_t h, size_t w) {
  double *b = a + n * m;
  for (size_t j = 0; j < w; j++)
    for (size_t i = 0; i < h; i++)
      b[i * p + j] = a[i * q + j + 1] * 0.5 + i;
}

__attribute__((noinline)) void blocks(double *a, size_t m, size_t p, size_t h, size_t w, size_t d) {
  for (size_t k = 0; k < d; k++)
    for (size_t j = 0; j < w; j++)
      for (size_t i = 0; i < h; i++)
        a[(i * m + j) * p + k] = a[(i * m + j) * p + k] * 0.5 + i;
}

__attribute__((noinline)) void narrow(double *a, int m, int p, int h, int w, int d) {
  for (long k = 0; k < d; k++)
    for (long j = 0; j < w; j++)
      for (long i = 0; i < h; i++)
        a[(i * m + j) * p + k] *= 0.5;
}

// RAN: polyrs: behind:0: original code
// RAN-NEXT: polyrs: blocks:0: original code
// RAN-NEXT: polyrs: behind:0: new code
// RAN-NEXT: polyrs: blocks:0: new code
// RAN-NEXT: polyrs: narrow:0: new code
#ifdef MAIN
static double a[90000];

static void show(const char *name) {
  double sum = 0;
  for (int k = 0; k < 90000; k++)
    sum = sum * 0.9999 + a[k];
  printf("%s %.17g\n", name, sum);
}

int main(void) {
  for (int k = 0; k < 90000; k++)
    a[k] = k * 37 % 101;
  behind(a, (size_t)1 << 32, (size_t)1 << 32, 201, 202, 200, 150);
  show("behind, at the beginning");
  blocks(a, (size_t)1 << 38, (size_t)1 << 26, 40, 1, 50);
  show("blocks, all of them one");
  behind(a, 220, 205, 201, 202, 200, 150);
  show("behind");
  blocks(a, 17, 60, 40, 16, 50);
  show("blocks");
  narrow(a, 17, 60, 40, 16, 50);
  show("narrow");
}
#endif
