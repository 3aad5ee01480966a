// Each element needs its neighbour above to the right: the loops must not change places.
void wave(double a[500][500]) {
  for (int i = 1; i < 499; i++)
    for (int j = 1; j < 499; j++)
      a[i][j] = a[i - 1][j + 1] + 1;
}
