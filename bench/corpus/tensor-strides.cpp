// expect: rewritten, 2.2 times. A tensor with strides in an array of its own, of which the last is 1.
#include "corpus.h"
struct Tensor {
  double *data;
  long size[2], stride[2];
  double &operator()(long i, long j) { return data[i * stride[0] + j * stride[1]]; }
};
KERNEL void kernel(Tensor &o, Tensor &a) {
  for (long j = 0; j < o.size[1]; j++)
    for (long i = 0; i < o.size[0]; i++)
      o(i, j) = a(i, j) * 2;
}
int main() {
  Tensor a{new_doubles(60000, 1), {300, 200}, {200, 1}}, o{new_doubles(60000, 2), {300, 200}, {200, 1}};
  kernel(o, a);
  show(o.data, 60000 * sizeof(double));
}
