// Products of few rows, few columns or a short depth: new code runs where what it takes, weighed at run time, is less
// than one addition after the other takes. Parts of tiles are packed in vectors as whole ones are, the last value of a
// row standing for those that are not there.

// RUN: %clang -O3 -g1 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass-analysis=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s --check-prefix=CODE
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -DMAIN %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.new
// RUN: %t.new | diff %t.expected -
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -DMAIN -Xclang -load -Xclang %plugin -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable %s -o %t.forced
// RUN: %t.forced | diff %t.expected -

#define PRODUCT(name, T, a, b, update) \
  __attribute__((noinline)) void name(int n, int m, int k, const T *A, const T *B, T *C) { \
    for (int i = 0; i < n; i++) \
      for (int j = 0; j < m; j++) { \
        T s = 0; \
        for (int p = 0; p < k; p++) \
          s += a * b; \
        C[i * m + j] update s; \
      } \
  }

// One parameter bounds all three loops.
// CHECK: contraction-few.c:[[#@LINE+2]]:{{.*}} it pays where argument 1 >= 16 (
__attribute__((noinline)) void square(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++)
  for (int j = 0; j < n; j++) {
    double s = 0;
    for (int p = 0; p < n; p++)
      s += A[i * n + p] * B[p * n + j];
    C[i * n + j] = s;
  }
}

// CHECK: contraction-few.c:[[#@LINE+1]]:{{.*}} it pays where argument 1 >= 4 and argument 2 >= 4 and argument 3 >= 3 (
PRODUCT(of_doubles, double, A[i * k + p], B[p * m + j], =)
// CHECK: contraction-few.c:[[#@LINE+1]]:{{.*}} it pays where argument 1 >= 4 and argument 2 >= 4 and argument 3 >= 3 (
PRODUCT(of_floats, float, A[p * n + i], B[p * m + j], =)
// Strips, of which the length is known alone, are not weighed.
// CHECK: contraction-few.c:[[#@LINE+1]]:{{.*}} it pays where argument 1 >= 16 and argument 2 >= 16 and argument 3 >= 16 (
PRODUCT(added, double, A[i * k + p], B[j * k + p], +=)
PRODUCT(of_ints, int, A[i * k + p], B[j * k + p], =)
PRODUCT(of_shorts, short, A[i * k + p], B[p * m + j], =)
PRODUCT(of_differences, float, (A[i * k + p] - B[p * m + j]), (A[i * k + p] - B[p * m + j]), =)

// CODE: define internal {{.*}}@polyrs.pack
// CODE: call <4 x double> @llvm.masked.load
// CODE: call void @llvm.masked.store

#ifdef MAIN
#include <stdio.h>

#define CHECKED(name, T) \
  { \
    static T a[70 * 70], b[70 * 70], c[70 * 70]; \
    for (int e = 0; e < 70 * 70; e++) a[e] = (T)(e % 23 - 7), b[e] = (T)((e * 5) % 19 - 4), c[e] = (T)(e % 3); \
    name(n, m, k, a, b, c); \
    unsigned hash = 0; \
    for (int e = 0; e < 70 * 70; e++) hash = hash * 31 + (unsigned)(int)c[e]; \
    printf(#name " %d %d %d %x\n", n, m, k, hash); \
  }

static void of_squares(int n, int m, int k, const double *A, const double *B, double *C) { square(n, A, B, C); }

int main(void) {
  unsigned next = 1;
  for (int turn = 0; turn < 150; turn++) {
    int sizes[3];
    for (int s = 0; s < 3; s++) {
      next = next * 1103515245 + 12345;
      sizes[s] = 1 + (next >> 16) % (turn % 3 == s ? 9 : 68);
    }
    int n = sizes[0], m = sizes[1], k = sizes[2];
    CHECKED(of_doubles, double)
    CHECKED(of_floats, float)
    CHECKED(added, double)
    CHECKED(of_ints, int)
    CHECKED(of_shorts, short)
    CHECKED(of_differences, float)
    CHECKED(of_squares, double)
  }
}
#endif
