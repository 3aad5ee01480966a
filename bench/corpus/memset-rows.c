// expect: rewritten, 20 times. Each row is cleared by memset before it is summed up.
#include "corpus.h"
#define N 160
double A[N][N], B[N][N], C[N][N];
KERNEL void kernel(void) {
  for (int i = 0; i < N; i++) {
    memset(C[i], 0, sizeof C[i]);
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
  }
}
int main(void) {
  memcpy(A, new_doubles(N * N, 1), sizeof A);
  memcpy(B, new_doubles(N * N, 2), sizeof B);
  kernel();
  show(C, sizeof C);
}
