// expect: kept. Two planes of one array, chosen by an index that alternates.
#include "corpus.h"
static double grid[2][120][120];
KERNEL void kernel(int steps, int n) {
  int now = 0;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        grid[1 - now][i][j] = 0.25 * (grid[now][i - 1][j] + grid[now][i + 1][j] + grid[now][i][j - 1] + grid[now][i][j + 1]);
    now = 1 - now;
  }
}
int main(void) {
  memcpy(grid, new_doubles(2 * 120 * 120, 1), sizeof grid);
  for (int steps = 0; steps < 9; steps++)
    kernel(steps, 120 - steps);
  show(grid, sizeof grid);
}
