// A stencil in two arrays, a loop without dependences, one that is kept: nests of different cost, one with every step.
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
