// A dependence of distance (1, 1) becomes one of distance (1, 2) where j runs along i + j, as the script here says.
//   polyrs explain docs/figures/skewing.c --html skewing.html -polyrs-transform=docs/figures/skewing.txt
void skewing(int n, double a[restrict n][n]) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      a[i][j] = 0.5 * a[i - 1][j - 1] + 1.0;
}
