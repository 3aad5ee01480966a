// expect: rewritten, 15 times. A product that was tiled by hand, in the wrong order inside.
#include "corpus.h"
#define N 160
double A[N][N], B[N][N], C[N][N];
KERNEL void kernel(int n) {
  for (int ii = 0; ii < n; ii += 32)
    for (int jj = 0; jj < n; jj += 32)
      for (int i = ii; i < MIN(ii + 32, n); i++)
        for (int j = jj; j < MIN(jj + 32, n); j++)
          for (int k = 0; k < n; k++)
            C[i][j] += A[i][k] * B[k][j];
}
int main(void) {
  memcpy(A, new_doubles(N * N, 1), sizeof A);
  memcpy(B, new_doubles(N * N, 2), sizeof B);
  kernel(N - 5);
  show(C, sizeof C);
}
