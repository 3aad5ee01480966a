// expect: kept. A wave: three grids take turns, the new one takes the place of the one before the last.
#include "corpus.h"
KERNEL void kernel(int steps, int n, double *before, double *now, double *next) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        next[i * n + j] = now[i * n + j] - before[i * n + j] + 0.1 * (now[(i - 1) * n + j] + now[(i + 1) * n + j]);
    double *last = before;
    before = now;
    now = next;
    next = last;
  }
}
int main(void) {
  double *a = new_doubles(60 * 60, 1), *b = new_doubles(60 * 60, 2), *c = new_doubles(60 * 60, 3);
  for (int steps = 0; steps < 9; steps++)
    kernel(steps, 60 - steps, a, b, c);
  show(a, 3600 * sizeof *a);
  show(b, 3600 * sizeof *b);
  show(c, 3600 * sizeof *c);
}
