// expect: rewritten, 2 times. Time steps over members of a struct.
#include "corpus.h"
struct Heat {
  int n, steps;
  double *u, *v;
};
KERNEL void kernel(struct Heat *h) {
  for (int t = 0; t < h->steps; t++) {
    for (int i = 1; i < h->n - 1; i++)
      h->v[i] = 0.25 * (h->u[i - 1] + 2 * h->u[i] + h->u[i + 1]);
    for (int i = 1; i < h->n - 1; i++)
      h->u[i] = 0.25 * (h->v[i - 1] + 2 * h->v[i] + h->v[i + 1]);
  }
}
int main(void) {
  struct Heat h = {9000000, 20, new_doubles(9000000, 1), new_doubles(9000000, 2)};
  kernel(&h);
  show(h.u, 9000000 * sizeof(double));
}
