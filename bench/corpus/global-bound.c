// expect: rewritten, 21 times. A global variable as bound.
#include "corpus.h"
#define N 160
int n;
double A[N][N], B[N][N], C[N][N];
KERNEL void kernel(void) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
int main(void) {
  n = N - 3;
  memcpy(A, new_doubles(N * N, 1), sizeof A);
  memcpy(B, new_doubles(N * N, 2), sizeof B);
  kernel();
  show(C, sizeof C);
}
