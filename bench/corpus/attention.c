// expect: rewritten, 8 times. Attention: products of rows, weights by their largest one, and a weighted mean.
#include "corpus.h"
KERNEL void kernel(int n, int d, const float *restrict q, const float *restrict key, const float *restrict value,
                   float *restrict weight, float *restrict out) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < d; k++)
        s += q[i * d + k] * key[k * n + j];
      weight[i * n + j] = s * 0.125f;
    }
    float most = weight[i * n];
    for (int j = 1; j < n; j++)
      most = weight[i * n + j] > most ? weight[i * n + j] : most;
    float total = 0;
    for (int j = 0; j < n; j++) {
      float e = 1 / (1 + (most - weight[i * n + j]) * (most - weight[i * n + j]));
      weight[i * n + j] = e;
      total += e;
    }
    for (int j = 0; j < d; j++) {
      float s = 0;
      for (int k = 0; k < n; k++)
        s += weight[i * n + k] * value[k * d + j];
      out[i * d + j] = s / total;
    }
  }
}
int main(void) {
  float *q = new_floats(200 * 64, 1), *key = new_floats(200 * 64, 2), *value = new_floats(200 * 64, 3);
  float *weight = new_floats(200 * 200, 4), *out = new_floats(200 * 64, 5);
  kernel(200, 64, q, key, value, weight, out);
  show(out, 200 * 64 * sizeof *out);
}
