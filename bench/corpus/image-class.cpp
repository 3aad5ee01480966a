// expect: rewritten. An image class with unsigned sizes and accessors, bytes to floats.
#include "corpus.h"
#include <vector>
template <class T> class Image {
  unsigned w_, h_;
  std::vector<T> px_;

public:
  Image(unsigned w, unsigned h) : w_(w), h_(h), px_(w * h) {}
  unsigned width() const { return w_; }
  unsigned height() const { return h_; }
  T &at(unsigned x, unsigned y) { return px_[y * w_ + x]; }
  const T &at(unsigned x, unsigned y) const { return px_[y * w_ + x]; }
  const T *data() const { return px_.data(); }
};
KERNEL void kernel(Image<float> &o, const Image<unsigned char> &a) {
  for (unsigned x = 0; x < a.width(); x++)
    for (unsigned y = 0; y < a.height(); y++)
      o.at(x, y) = a.at(x, y) / 255.0f;
}
int main() {
  Image<unsigned char> a(300, 200);
  Image<float> o(300, 200);
  for (unsigned x = 0; x < 300; x++)
    for (unsigned y = 0; y < 200; y++)
      a.at(x, y) = x * y;
  kernel(o, a);
  show(o.data(), 60000 * sizeof(float));
}
