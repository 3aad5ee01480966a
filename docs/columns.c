// Sums up each column of a matrix, one column after the other: every step of the inner loop touches another cache line.
void columns(int n, int m, double a[restrict n][m], double s[restrict m]) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      s[j] += a[i][j];
}
