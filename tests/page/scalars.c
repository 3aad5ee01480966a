// A local variable through a nest, in statements that the source has no text of its own for; one long loop.
void carry(int n, double *a, double *out) {
  double last = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      last = last * 0.5 + a[j * n + i];
      out[j * n + i] = last;
    }
}
double line[500];
void fill(void) {
  for (int i = 100; i < 500; i++)
    line[i] = line[i] * 2;
}
double unknown(double);
void calls(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = unknown(a[i]);
}
