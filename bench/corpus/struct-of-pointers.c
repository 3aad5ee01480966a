// expect: rewritten, 17 times. Matrices as members of one struct.
#include "corpus.h"
struct Problem {
  int n;
  double *a, *b, *c;
};
KERNEL void kernel(struct Problem *p) {
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < p->n; j++)
      for (int k = 0; k < p->n; k++)
        p->c[i * p->n + j] += p->a[i * p->n + k] * p->b[k * p->n + j];
}
int main(void) {
  struct Problem p = {160, new_doubles(160 * 160, 1), new_doubles(160 * 160, 2), new_doubles(160 * 160, 3)};
  kernel(&p);
  show(p.c, 160 * 160 * sizeof(double));
}
