/* Loops that only move memory, for scripts/bench --gpu: stream ELEMENTS RUNS. Prints `check ok` where the results are right. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void copy(long n, const double *restrict a, double *restrict c) {
  for (long i = 0; i < n; i++)
    c[i] = a[i];
}

__attribute__((noinline)) void scale(long n, double *restrict b, const double *restrict c) {
  for (long i = 0; i < n; i++)
    b[i] = 3 * c[i];
}

__attribute__((noinline)) void add(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    c[i] = a[i] + b[i];
}

__attribute__((noinline)) void triad(long n, double *restrict a, const double *restrict b, const double *restrict c) {
  for (long i = 0; i < n; i++)
    a[i] = b[i] + 3 * c[i];
}

__attribute__((annotate("polyrs:off"))) int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 1000;
  int runs = argc > 2 ? atoi(argv[2]) : 1;
  double *a = malloc(8 * n), *b = malloc(8 * n), *c = malloc(8 * n), want[3] = {0, 0, 0};
  if (!a || !b || !c)
    return 2;
  for (long i = 0; i < n; i++)
    a[i] = i % 8, b[i] = c[i] = 0;
  for (int run = 0; run < runs; run++) {
    copy(n, a, c);
    scale(n, b, c);
    add(n, a, b, c);
    triad(n, a, b, c);
  }
  int right = 1;
  for (long i = 0; i < n; i++) {
    want[0] = i % 8;
    for (int run = 0; run < runs; run++) {
      want[2] = want[0];
      want[1] = 3 * want[2];
      want[2] = want[0] + want[1];
      want[0] = want[1] + 3 * want[2];
    }
    right &= a[i] == want[0] && b[i] == want[1] && c[i] == want[2];
  }
  printf("check %s\n", right ? "ok" : "WRONG");
  return !right;
}
