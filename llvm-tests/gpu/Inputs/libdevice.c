// Functions with the names of libdevice's, for tests: a series each, as far as the tests' arguments go.

double __nv_exp(double x) {
  double sum = 1, term = 1, small = x / 64;
  for (int k = 1; k < 14; k++) {
    term *= small / k;
    sum += term;
  }
  for (int k = 0; k < 6; k++)
    sum *= sum;
  return sum;
}

float __nv_sinf(float x) {
  double sum = x, term = x;
  for (int k = 1; k < 8; k++) {
    term *= -((double)x * x) / (2 * k * (2 * k + 1));
    sum += term;
  }
  return (float)sum;
}
