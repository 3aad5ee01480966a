// expect: rewritten, 2.3 times. A grid as a struct: sizes, coefficients and both planes are members.
#include "corpus.h"
struct Grid {
  int nx, ny, steps;
  double *u, *v;
  double c0, c1;
};
KERNEL void kernel(struct Grid *g) {
  for (int j = 1; j < g->nx - 1; j++)
    for (int i = 1; i < g->ny - 1; i++)
      g->v[i * g->nx + j] = g->c0 * g->u[i * g->nx + j] +
                            g->c1 * (g->u[(i - 1) * g->nx + j] + g->u[(i + 1) * g->nx + j] + g->u[i * g->nx + j - 1] + g->u[i * g->nx + j + 1]);
}
int main(void) {
  struct Grid g = {300, 400, 10, new_doubles(300 * 400, 1), new_doubles(300 * 400, 2), 0.5, 0.125};
  kernel(&g);
  show(g.v, 300 * 400 * sizeof(double));
}
