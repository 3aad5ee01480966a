// expect: rewritten, 1.4 times. Two grids that change places after each step.
#include "corpus.h"
KERNEL void kernel(int steps, int n, double *a, double *b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i * n + j] = 0.2 * (a[i * n + j] + a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
    double *last = a;
    a = b;
    b = last;
  }
}
int main(void) {
  for (int steps = 0; steps < 20; steps += steps < 4 ? 1 : 15) {
    double *a = new_doubles(2900 * 2900, 1), *b = new_doubles(2900 * 2900, 2);
    kernel(steps, 2900, a, b);
    show(a, 2900 * 2900 * sizeof *a);
    show(b, 2900 * 2900 * sizeof *b);
    kernel(steps, 40, a, b);
    kernel(steps + 16, 2899, a, a + 2900);
    show(a, 2900 * 2900 * sizeof *a);
    free(a);
    free(b);
  }
}
