// expect: rewritten. Products of many small matrices, one behind the other: LLVM gathers each element.
#include "corpus.h"
typedef struct { double m[4][4]; } Matrix;
KERNEL void kernel(const Matrix *a, const Matrix *b, Matrix *c, int count) {
  for (int q = 0; q < count; q++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        double s = 0;
        for (int k = 0; k < 4; k++) s += a[q].m[i][k] * b[q].m[k][j];
        c[q].m[i][j] = s;
      }
}
int main(void) {
  int count = 700;
  Matrix *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b), *c = calloc(count, sizeof *c);
  for (int k = 0; k < 16 * count; k++) ((double *)a)[k] = k * 37 % 101 / 8.0, ((double *)b)[k] = k * 7 % 61 / 9.0;
  kernel(a, b, c, count);
  show(c, count * sizeof *c);
}
