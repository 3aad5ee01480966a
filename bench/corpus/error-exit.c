// expect: rewritten, 21 times. A check of the data that ends the program.
#include "corpus.h"
#define N 160
double A[N][N], B[N][N], C[N][N];
KERNEL void kernel(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        if (n > N) {
          fprintf(stderr, "too large\n");
          abort();
        }
        C[i][j] += A[i][k] * B[k][j];
      }
}
int main(void) {
  memcpy(A, new_doubles(N * N, 1), sizeof A);
  memcpy(B, new_doubles(N * N, 2), sizeof B);
  kernel(N);
  show(C, sizeof C);
}
