// Values kept in local variables, which debug information has no line for.
static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
void blur(int h, int w, const unsigned char *restrict a, unsigned char *restrict b) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++) {
      int s = 0;
      for (int k = -2; k <= 2; k++)
        s += a[clamp(y + k, 0, h - 1) * w + x];
      b[y * w + x] = s / 5;
    }
}
