// Deterministic contents for arrays, and their bits as text.
#include <stdio.h>
#include <string.h>

// Seen by other modules: its parameters may be anything.
#define KERNEL __attribute__((noinline))

__attribute__((noinline)) static void fill(double *a, int n, int seed) {
  for (int i = 0; i < n; i++)
    a[i] = (double)((i * 37 + seed * 101) % 1009) / 7.0 - 50.0;
}

__attribute__((noinline)) static void dump(const char *name, const void *a, size_t bytes) {
  const unsigned char *p = a;
  printf("%s", name);
  for (size_t i = 0; i < bytes; i++)
    printf("%s%02x", i % 32 ? "" : "\n", p[i]);
  printf("\n");
}
