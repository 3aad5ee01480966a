// expect: rewritten, 17 times. Pointers and size in global variables.
#include "corpus.h"
int n;
double *A, *B, *C;
KERNEL void kernel(void) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}
int main(void) {
  n = 150;
  A = new_doubles(n * n, 1), B = new_doubles(n * n, 2), C = new_doubles(n * n, 3);
  kernel();
  show(C, n * n * sizeof *C);
}
