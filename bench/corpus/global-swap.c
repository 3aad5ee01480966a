// expect: rewritten, 1.4 times. Two global pointers that change places after each step.
#include "corpus.h"
double *now, *next;
int n;
KERNEL void kernel(int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        next[i * n + j] = 0.25 * (now[(i - 1) * n + j] + now[(i + 1) * n + j] + now[i * n + j - 1] + now[i * n + j + 1]);
    double *last = now;
    now = next;
    next = last;
  }
}
int main(void) {
  n = 2900;
  now = new_doubles(2900 * 2900, 1);
  next = new_doubles(2900 * 2900, 2);
  double *first = now;
  for (int steps = 0; steps < 24; steps += steps < 3 ? 1 : 17) {
    kernel(steps);
    printf("%d\n", now == first);
    show(now, 2900 * 2900 * sizeof *now);
    show(next, 2900 * 2900 * sizeof *next);
  }
}
