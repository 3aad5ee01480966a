// Where no memory is left for packed copies, small blocks of them lie in the frame: the same bits come out, and errno
// keeps its value.

// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -c %s -o %t.o
// RUN: %clang -O1 -fno-builtin -DNO_MEMORY -c %s -o %t.none.o
// RUN: %clang %t.o %t.none.o -o %t.packed && %t.packed | diff %t.expected -
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s

// CHECK: call {{.*}}@polyrs.contraction.6x8(
// CHECK: define internal {{.*}}@polyrs.room.take(
// CHECK: call {{.*}}@mmap(

#ifdef NO_MEMORY

#include <errno.h>

void *mmap(void *at, unsigned long size, int may, int flags, int file, long first) {
  errno = ENOMEM;
  return (void *)-1;
}

#else

#include <errno.h>
#include <unistd.h>

#define N 211
#define K 307
double A[N][K], B[K][N], C[N][N];

__attribute__((noinline)) void product(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++)
        C[i][j] += A[i][k] * B[k][j];
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < K; k++) {
      A[i][k] = (i * 7 + k * 3) % 101 / 7.0;
      B[k][i] = (i * 5 + k * 11) % 103 / 9.0;
    }
  errno = 0;
  product();
  unsigned long long hash = errno;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      union { double value; unsigned long long bits; } c = {C[i][j]};
      hash = hash * 31 + c.bits;
    }
  char digits[17] = {0};
  for (int d = 0; d < 16; d++)
    digits[d] = "0123456789abcdef"[hash >> 4 * d & 15];
  digits[16] = '\n';
  return write(1, digits, 17) != 17;
}

#endif
