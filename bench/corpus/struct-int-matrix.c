// expect: rewritten, 3.7 times. Elements and sizes are both int: a test at run time tells them apart.
#include "corpus.h"
struct Map {
  int w, h, *cell;
};
KERNEL void kernel(struct Map *o, const struct Map *a) {
  for (int x = 0; x < o->w; x++)
    for (int y = 0; y < o->h; y++)
      o->cell[y * o->w + x] = a->cell[y * a->w + x] + 1;
}
int main(void) {
  struct Map a = {400, 300, new_ints(400 * 300, 1)}, o = {400, 300, new_ints(400 * 300, 2)};
  kernel(&o, &a);
  show(o.cell, 400 * 300 * sizeof(int));
  // The size lies among the elements and shrinks while the loops run.
  struct Map *in = (struct Map *)calloc(1, 400);
  *in = (struct Map){5, 4, (int *)in};
  struct Map from = {5, 4, new_ints(20, 3)};
  for (int k = 0; k < 20; k++)
    from.cell[k] = 1;
  int *cells = (int *)in;
  (void)cells;
  in->cell = (int *)in + 1;
  in->w = 5;
  kernel(&a, &from);
  show(a.cell, 400 * sizeof(int));
}
