// expect: rewritten, 2.5 times. Rows behind pointers in records, walked by columns.
#include "corpus.h"
struct Signal {
  long length;
  double *in, *out;
};
KERNEL void kernel(struct Signal *s, int count, int length) {
  for (int k = 1; k < length; k++)
    for (int i = 0; i < count; i++)
      s[i].out[k] = 0.5 * s[i].in[k] + 0.25 * s[i].in[k - 1];
}
int main(void) {
  int n = 200;
  struct Signal *s = (struct Signal *)malloc(n * sizeof *s);
  for (int i = 0; i < n; i++) {
    s[i].in = new_doubles(n, i);
    s[i].out = new_doubles(n, i + 1);
    s[i].length = n;
  }
  kernel(s, n, n);
  for (int i = 0; i < n; i += 40)
    show(s[i].out, n * sizeof(double));
}
