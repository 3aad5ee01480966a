// expect: rewritten, 6 times. Bytes may be anything, the sizes of their image as well: tested at run time.
#include "corpus.h"
struct Image {
  unsigned w, h;
  unsigned char *px;
};
KERNEL void kernel(struct Image *o, const struct Image *a) {
  for (unsigned x = 0; x < o->w; x++)
    for (unsigned y = 1; y < o->h - 1; y++)
      o->px[y * o->w + x] = (a->px[(y - 1) * a->w + x] + 2 * a->px[y * a->w + x] + a->px[(y + 1) * a->w + x]) / 4;
}
int main(void) {
  struct Image a = {500, 400, new_bytes(500 * 400, 1)}, o = {500, 400, new_bytes(500 * 400, 2)};
  kernel(&o, &a);
  show(o.px, 500 * 400);
}
