// expect: rewritten, 3.8 times. A filter over an image with unsigned sizes.
#include "corpus.h"
struct Image {
  unsigned w, h;
  float *px;
};
KERNEL void kernel(struct Image *o, const struct Image *a) {
  for (unsigned x = 1; x + 1 < o->w; x++)
    for (unsigned y = 1; y + 1 < o->h; y++)
      o->px[y * o->w + x] = 0.25f * (a->px[(y - 1) * a->w + x] + a->px[(y + 1) * a->w + x] + a->px[y * a->w + x - 1] + a->px[y * a->w + x + 1]);
}
int main(void) {
  struct Image a = {500, 400, new_floats(500 * 400, 1)}, o = {500, 400, new_floats(500 * 400, 2)};
  kernel(&o, &a);
  show(o.px, 500 * 400 * sizeof(float));
}
