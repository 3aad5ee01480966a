// A stencil in two arrays, one that is kept, a product, and two loops with every step up to vectors: nests of
// different cost.
void relax(int steps, int n, double a[restrict n], double b[restrict n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; i++)
      a[i] = b[i];
  }
}

void running(int n, double *a) {
  for (int i = 1; i < n; i++)
    a[i] = 0.5 * a[i - 1] + a[i];
}

void product(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

void waves(int n, int m, double a[restrict n][m], double b[restrict n][m]) {
  for (int i = 1; i < n; i++) {
    for (int j = 1; j < m - 1; j++)
      a[i][j] = b[i - 1][j - 1] + b[i - 1][j + 1];
    for (int j = 1; j < m - 1; j++)
      b[i][j] = 2 * a[i][j];
  }
}
