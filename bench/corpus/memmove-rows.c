// expect: kept. Rows that move on by one element by memmove before a new one comes in.
#include "corpus.h"
KERNEL void kernel(int n, int m, double *restrict line, const double *restrict in, double *restrict out) {
  for (int t = 0; t < n; t++) {
    memmove(line + 1, line, (m - 1) * sizeof *line);
    line[0] = in[t];
    for (int k = 0; k < m; k++)
      out[t] += line[k] * 0.25;
  }
}
int main(void) {
  double *line = new_doubles(60, 1), *in = new_doubles(300, 2), *out = new_doubles(300, 3);
  kernel(300, 60, line, in, out);
  show(line, 60 * sizeof *line);
  show(out, 300 * sizeof *out);
}
