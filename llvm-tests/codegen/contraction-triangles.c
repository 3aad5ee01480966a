// Products over triangles whose factor is read behind a pointer, where only some rows have columns: it is read only if
// one has. What cannot be packed is left as it is: loops in the order for packed operands are several times slower.

// DEFINE: %{run} = %clang -O3 -march=x86-64-v3 -ffp-contract=off %s
// RUN: %{run} -o %t.old && %t.old > %t.old.txt
// RUN: %{run} -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -Rpass=polyrs -o %t.new 2>&1 | FileCheck %s
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK-COUNT-3: packed for {{.*}} in registers
// CHECK-NOT: packed for

#include <stdio.h>
#include <stdlib.h>

enum { N = 90 };

#define PRODUCT(name, low, high) \
  __attribute__((noinline, weak)) void name(int n, int k, const double *restrict alpha, int lda, const double *restrict a, double *restrict c) { \
    for (int j = 0; j < n; j++) \
      for (int l = 0; l < k; l++) \
        if (a[j + l * lda] != 0.0) { \
          double t = *alpha * a[j + l * lda]; \
          for (int i = (low); i < (high); i++) \
            c[i + j * lda] += t * a[i + l * lda]; \
        } \
  }
PRODUCT(below, j, n)
PRODUCT(above, 0, j)
PRODUCT(far_above, 0, j - 30)
// Both ends move with the row.
PRODUCT(between, j > 30 ? j - 30 : 0, j + 2 < n ? j + 2 : n)

__attribute__((optnone)) int main(void) {
  double *a = malloc(N * N * sizeof *a), *c = malloc(N * N * sizeof *c), alpha = -1.5;
  for (int n = 0; n <= N; n += n < 40 ? 1 : 25) {
    for (int k = 0; k < N * N; k++)
      a[k] = 1 + k % 13, c[k] = k % 7;
    const double *factor = n ? &alpha : 0;
    below(n, n, factor, N, a, c);
    above(n, 40, n > 1 ? &alpha : 0, N, a, c);
    far_above(n, 40, n > 31 ? &alpha : 0, N, a, c);
    between(n, 40, factor, N, a, c);
    double sum = 0;
    for (int k = 0; k < N * N; k++)
      sum = sum * 1.0000001 + c[k];
    printf("%d %.17g\n", n, sum);
  }
  return 0;
}
