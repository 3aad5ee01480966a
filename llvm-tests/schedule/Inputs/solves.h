// Matrices by columns with a leading dimension, and what programs that solve with them print.
#include <stdio.h>
#include <string.h>

#define KERNEL __attribute__((noinline))
#define A(i, j) a[(i) + (long)(j) * lda]
#define B(i, j) b[(i) + (long)(j) * ldb]

#ifdef RUN
#define MOST 230
static double a[MOST * MOST], b[MOST * MOST];

// Rows and columns: none, few, more than a block of the depth.
static const int sizes[][2] = {{0, 3}, {1, 1}, {2, 90}, {33, 65}, {70, 100}, {230, 97}, {128, 230}, {229, 228}};
static const int n_sizes = sizeof sizes / sizeof *sizes;

static void fill(int n) {
  for (int i = 0; i < MOST * MOST; i++) {
    a[i] = i / MOST == i % MOST ? n + 8 : 1.0 / (i % 11 + 1);
    b[i] = i % 7 - 2.5;
  }
}

// All bits of all elements.
static void show(const double *x) {
  unsigned long hash = 0;
  for (int i = 0; i < MOST * MOST; i++) {
    unsigned long bits;
    memcpy(&bits, &x[i], sizeof bits);
    hash = hash * 1099511628211 ^ bits;
  }
  printf("%lx\n", hash);
}
#endif
