// What the programs of the corpus share: inputs, and a hash of the results' bits. Each program is compiled with and
// without the plugin and prints the same; what becomes of the loops of its function `kernel` stands behind `expect:` in
// its first line, with the least gain that is to be estimated, three quarters of what was when it was written.
#ifndef CORPUS_H
#define CORPUS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

// Numbers that follow from `seed` alone.
static inline uint32_t corpus_next(uint32_t *seed) { return *seed = *seed * 1664525u + 1013904223u; }

#define CORPUS_NEW(TYPE, NAME)                                                                                                 \
  __attribute__((unused)) static TYPE *NAME(size_t count, uint32_t seed) {                                                     \
    TYPE *p = (TYPE *)malloc(count * sizeof(TYPE) + 64);                                                                       \
    for (size_t k = 0; k < count; k++)                                                                                         \
      p[k] = (TYPE)((double)(corpus_next(&seed) >> 8) / 65536.0 - 100.0);                                                      \
    return p;                                                                                                                  \
  }
CORPUS_NEW(double, new_doubles)
CORPUS_NEW(float, new_floats)
CORPUS_NEW(int, new_ints)

__attribute__((unused)) static unsigned char *new_bytes(size_t count, uint32_t seed) {
  unsigned char *p = (unsigned char *)malloc(count + 64);
  for (size_t k = 0; k < count; k++)
    p[k] = (unsigned char)(corpus_next(&seed) >> 24);
  return p;
}

// Prints a hash of the bytes.
__attribute__((unused)) static void show(const void *data, size_t bytes) {
  uint64_t hash = 14695981039346656037u;
  for (size_t k = 0; k < bytes; k++)
    hash = (hash ^ ((const unsigned char *)data)[k]) * 1099511628211u;
  printf("%016llx\n", (unsigned long long)hash);
}

#endif
