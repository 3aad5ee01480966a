// Packed products fit the smallest stack that a thread may have, also where no memory is left for their copies, and
// several threads may run them at once.

// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain -lpthread && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -c -o %t.o
// RUN: %clang %t.o -o %t.packed -lpthread && %t.packed | diff %t.expected -
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -fstack-usage %s -c -o %t.use.o
// RUN: FileCheck %s < %t.use.su

// CHECK-NOT: {{[[:space:]][0-9][0-9][0-9][0-9][0-9]}}
// CHECK: polyrs.contraction.6x8{{.*}} static
// CHECK-NOT: {{[[:space:]][0-9][0-9][0-9][0-9][0-9]}}

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define N 211
#define K 307
#define THREADS 12
double A[N][K], B[K][N], C[THREADS][N][N];

__attribute__((noinline)) void product(double (*restrict to)[N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++)
        to[i][j] += A[i][k] * B[k][j];
}

void *run(void *at) {
  for (int again = 0; again < 3; again++)
    product(at);
  return 0;
}

void in_threads(void) {
  pthread_t threads[THREADS];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, 16384 + 8192))
    exit(2);
  for (int t = 0; t < THREADS; t++)
    if (pthread_create(&threads[t], &attributes, run, C[t]))
      exit(3);
  for (int t = 0; t < THREADS; t++)
    pthread_join(threads[t], 0);
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < K; k++) {
      A[i][k] = (i * 7 + k * 3) % 101 / 7.0;
      B[k][i] = (i * 5 + k * 11) % 103 / 9.0;
    }
  in_threads();
  // Without room for copies.
  struct rlimit none = {1 << 20, 1 << 20};
  setrlimit(RLIMIT_AS, &none);
  product(C[0]);
  unsigned long long hash = 0;
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        unsigned long long bits;
        memcpy(&bits, &C[t][i][j], 8);
        hash = hash * 31 + bits;
      }
  printf("%016llx\n", hash);
  return 0;
}
