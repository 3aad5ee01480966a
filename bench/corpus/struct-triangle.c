// expect: rewritten, 2.1 times. The inner loop runs in some iterations only: the member is read if it runs in one.
#include "corpus.h"
struct Sym {
  long n;
  double *a, *x;
};
KERNEL void kernel(struct Sym *m) {
  for (long i = 0; i < m->n; i++)
    for (long j = i + 1; j < m->n; j++)
      m->a[j * m->n + i] += m->x[i] * 0.5 + m->a[j * m->n + i];
}
int main(void) {
  struct Sym m = {400, new_doubles(400 * 400, 1), new_doubles(400, 2)}, one = {1, NULL, NULL};
  kernel(&m);
  kernel(&one);
  show(m.a, 400 * 400 * sizeof(double));
}
