/* Sweeps in place over a grid: skewed in two ways, and drawn in slices. */
enum { SIZE = 400, SWEEPS = 100 };
double grid[SIZE][SIZE];

void sweeps(void) {
  for (int t = 0; t < SWEEPS; t++)
    for (int i = 1; i < SIZE - 1; i++)
      for (int j = 1; j < SIZE - 1; j++)
        grid[i][j] = (grid[i - 1][j - 1] + grid[i - 1][j] + grid[i - 1][j + 1] + grid[i][j - 1] + grid[i][j] + grid[i][j + 1] +
                      grid[i + 1][j - 1] + grid[i + 1][j] + grid[i + 1][j + 1]) / 9.0;
}
