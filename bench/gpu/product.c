/* A matrix product for scripts/bench --gpu: product N RUNS. The type of elements is -DTYPE. Prints `check ok` where elements picked here
 * and there are what the host computes for them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TYPE
#define TYPE double
#endif

__attribute__((noinline)) void product(int n, const TYPE *restrict a, const TYPE *restrict b, TYPE *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[(long)i * n + j] += a[(long)i * n + k] * b[(long)k * n + j];
}

__attribute__((annotate("polyrs:off"))) static TYPE input(long i, long j) { return (TYPE)((i * 37 + j * 53 + 11) % 101) / (TYPE)50.5 - 1; }

__attribute__((annotate("polyrs:off"))) int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 64, runs = argc > 2 ? atoi(argv[2]) : 1;
  size_t bytes = sizeof(TYPE) * n * n;
  TYPE *a = malloc(bytes), *b = malloc(bytes), *c = calloc(1, bytes);
  if (!a || !b || !c)
    return 2;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[(long)i * n + j] = input(i, j);
      b[(long)i * n + j] = input(j, i + 1);
    }
  for (int run = 0; run < runs; run++)
    product(n, a, b, c);
  int right = 1;
  for (int t = 0; t < 16; t++) {
    int i = (int)(t * 7919L % n), j = (int)(t * 104729L % n);
    double want = 0;
    for (int k = 0; k < n; k++)
      want += (double)a[(long)i * n + k] * b[(long)k * n + j];
    double of = fabs(want * runs - c[(long)i * n + j]);
    right &= of <= (sizeof(TYPE) == 8 ? 1e-12 : 1e-4) * runs * n;
  }
  printf("check %s\n", right ? "ok" : "WRONG");
  return !right;
}
