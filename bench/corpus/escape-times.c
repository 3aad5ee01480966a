// expect: kept. How many steps each point takes to leave: a `while` in two loops.
#include "corpus.h"
#define N 100
int steps[N][N];
KERNEL void kernel(int n, int most) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double x = 0, y = 0, cx = i * 0.03 - 2, cy = j * 0.03 - 1.5;
      int k = 0;
      while (k < most && x * x + y * y < 4) {
        double t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        k++;
      }
      steps[i][j] = k;
    }
}
int main(void) {
  kernel(N, 60);
  show(steps, sizeof steps);
}
