// expect: rewritten, 1.9 times. A loop with a step that begins at the outer counter.
#include "corpus.h"
#define N 200
double A[N][N], B[N][N], C[N][N];
KERNEL void kernel(int n) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j += 3)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
int main(void) {
  memcpy(A, new_doubles(N * N, 1), sizeof A);
  memcpy(B, new_doubles(N * N, 2), sizeof B);
  kernel(N);
  kernel(17);
  kernel(-1);
  show(C, sizeof C);
}
