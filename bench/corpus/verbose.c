// expect: rewritten, 21 times. A message that is printed only when asked for.
#include "corpus.h"
#define N 160
double A[N][N], B[N][N], C[N][N];
KERNEL void kernel(int n, int verbose) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        if (verbose)
          printf("%d %d %d\n", i, j, k);
        C[i][j] += A[i][k] * B[k][j];
      }
}
int main(void) {
  memcpy(A, new_doubles(N * N, 1), sizeof A);
  memcpy(B, new_doubles(N * N, 2), sizeof B);
  kernel(N, 0);
  kernel(2, 1);
  show(C, sizeof C);
}
