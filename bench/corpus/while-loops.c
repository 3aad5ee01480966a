// expect: rewritten, 21 times. Loops written as while.
#include "corpus.h"
#define N 160
double A[N][N], B[N][N], C[N][N];
KERNEL void kernel(int n) {
  int i = 0;
  while (i < n) {
    int j = 0;
    while (j < n) {
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
      j++;
    }
    i++;
  }
}
int main(void) {
  memcpy(A, new_doubles(N * N, 1), sizeof A);
  memcpy(B, new_doubles(N * N, 2), sizeof B);
  kernel(N - 1);
  show(C, sizeof C);
}
