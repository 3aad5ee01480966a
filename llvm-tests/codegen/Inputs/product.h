// A product of matrices, and its bits as text without printf: nothing here takes memory.
#include <unistd.h>

#define N 211
#define K 307
static double A[N][K], B[K][N], C[N][N];

__attribute__((noinline)) void product(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++)
        C[i][j] += A[i][k] * B[k][j];
}

__attribute__((noinline)) static void fill(void) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < K; k++) {
      A[i][k] = (i * 7 + k * 3) % 101 / 7.0;
      B[k][i] = (i * 5 + k * 11) % 103 / 9.0;
    }
}

// Writes a hash of C that begins with `hash`; 0 if that could be done.
__attribute__((noinline)) static int print(unsigned long long hash) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      union { double value; unsigned long long bits; } c = {C[i][j]};
      hash = hash * 31 + c.bits;
    }
  char digits[17] = {0};
  for (int d = 0; d < 16; d++)
    digits[d] = "0123456789abcdef"[hash >> 4 * d & 15];
  digits[16] = '\n';
  return write(1, digits, 17) != 17;
}
