// An order that gains from a size on only is told with the estimate there, and is no little work.

// RUN: %polyrs explain %s -- -O3 -march=znver5 | FileCheck %s

// CHECK: planes-large.c:[[#@LINE+3]]:3: planes: rewritten: {{.*}}tiled in diamonds {{.*}}if sizes are at least [[SIZE:[0-9]+]]
// CHECK: estimated: {{.*}} {{1.[3-9][0-9]*}} times as fast, where sizes that are not known are [[SIZE]]
void planes(int n, int t, double a[2][n][n]) {
  for (int s = 0; s < t; s++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[(s + 1) % 2][i][j] = 0.25 * (a[s % 2][i - 1][j] + a[s % 2][i + 1][j] + a[s % 2][i][j - 1] + a[s % 2][i][j + 1]);
}
