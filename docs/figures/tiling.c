// Four by four iterations, each after its neighbours to the left and below: tiles of two by two.
//   polyrs explain docs/figures/tiling.c --html tiling.html -polyrs-process-unprofitable -polyrs-tile-sizes=2,2
void tiling(double a[restrict 5][5]) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      a[i + 1][j + 1] = a[i][j + 1] + a[i + 1][j];
}
