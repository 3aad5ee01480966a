// expect: kept. Time steps that copy the new plane back by memcpy.
#include "corpus.h"
#define N 4000
double A[N], B[N];
KERNEL void kernel(int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3;
    memcpy(A + 1, B + 1, (N - 2) * sizeof(double));
  }
}
int main(void) {
  memcpy(A, new_doubles(N, 1), sizeof A);
  kernel(30);
  show(A, sizeof A);
}
