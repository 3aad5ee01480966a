// expect: rewritten, 1.3 times. A product modulo a prime, each sum of which waits for a remainder.
#include "corpus.h"
#define PRIME 1000000007L
KERNEL void kernel(int n, long a[n][n], long b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      b[i][j] = 0;
      for (int k = 0; k < n; k++) b[i][j] = (b[i][j] + a[i][k] * a[k][j] % PRIME) % PRIME;
    }
}
int main(void) {
  int n = 510;
  long (*a)[n] = malloc(n * sizeof *a), (*b)[n] = calloc(n, sizeof *b);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i][j] = (i * 7919L + j * 104729L) % PRIME;
  kernel(n, a, b);
  show(b, n * sizeof *b);
}
