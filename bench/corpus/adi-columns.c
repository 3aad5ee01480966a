// expect: rewritten, 1.8 times. Implicit steps down the columns and back: chains of divisions, one after the other in
// each column.
#include "corpus.h"
KERNEL void kernel(int n, int steps, double (*restrict u)[300], double (*restrict p)[300], double (*restrict q)[300]) {
  for (int t = 0; t < steps; t++)
    for (int j = 1; j < n - 1; j++) {
      p[0][j] = 0;
      q[0][j] = u[0][j];
      for (int i = 1; i < n - 1; i++) {
        p[i][j] = 0.25 / (0.25 * p[i - 1][j] + 1.5);
        q[i][j] = (u[i][j] + 0.25 * q[i - 1][j]) / (0.25 * p[i - 1][j] + 1.5);
      }
      for (int i = n - 2; i >= 1; i--)
        u[i][j] = p[i][j] * u[i + 1][j] + q[i][j];
    }
}
int main(void) {
  double *u = new_doubles(300 * 300, 1), *p = new_doubles(300 * 300, 2), *q = new_doubles(300 * 300, 3);
  kernel(300, 3, (double (*)[300])u, (double (*)[300])p, (double (*)[300])q);
  show(u, 300 * 300 * sizeof *u);
  return 0;
}
