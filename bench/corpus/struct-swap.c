// expect: rewritten, 1.4 times. Two grids of a structure that change places after each step.
#include "corpus.h"
typedef struct {
  int n;
  double *a, *b;
} Grid;
KERNEL void kernel(Grid *s, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < s->n - 1; i++)
      for (int j = 1; j < s->n - 1; j++)
        s->b[i * s->n + j] = 0.25 * (s->a[(i - 1) * s->n + j] + s->a[(i + 1) * s->n + j] + s->a[i * s->n + j - 1] + s->a[i * s->n + j + 1]);
    double *last = s->a;
    s->a = s->b;
    s->b = last;
  }
}
int main(void) {
  double *a = new_doubles(2900 * 2900, 1), *b = new_doubles(2900 * 2900, 2);
  int counts[] = {0, 1, 2, 3, 21};
  for (int k = 0; k < 5; k++) {
    Grid s = {2900, a, b};
    kernel(&s, counts[k]);
    printf("%d\n", s.a == a);
    show(s.a, 2900 * 2900 * sizeof *a);
    show(s.b, 2900 * 2900 * sizeof *b);
    Grid small = {40, a, b}, same = {2850, a, a}, near = {2850, a, a + 1};
    kernel(&small, counts[k]);
    kernel(&same, counts[k]);
    kernel(&near, counts[k]);
    show(a, 2900 * 2900 * sizeof *a);
  }
}
