// What loops touch of arrays of unknown size: sums in local variables, records, and lines that take turns.
// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: %emulator PTX_EMULATOR_ORDER=random=6 %t.gpu 2>&1 | diff %t.expected -
// RUN: %python %root/llvm-tests/gpu/Inputs/faults.py %t.expected 4 %emulator %t.gpu

// The product is of 20 by 30, 20 by 7 and 7 by 30 doubles: what it is stored to is not copied in.
// CHECK-NOT: ptx-emulator:
// CHECK-DAG: polyrs: product:0: device (PTX emulator): {{.*}} 2800 bytes in, 4800 bytes out
// CHECK-DAG: polyrs: filter:0: device (PTX emulator)
// CHECK-DAG: polyrs: move:0: device (PTX emulator): {{.*}} 3196 bytes in, 3196 bytes out
// CHECK-DAG: polyrs: odd:0: device (PTX emulator)
// CHECK-DAG: polyrs: lines:0: device (PTX emulator)
// CHECK-DAG: polyrs: planes:0: device (PTX emulator)
// CHECK: polyrs: between:0: device (PTX emulator)
// CHECK-NOT: polyrs: between:0: device (PTX emulator)

// What data decides to touch is still not known.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-only-func=looked_up -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=DATA
// DATA: loops get no kernel for a GPU: conditions on data decide what is accessed

#include "Inputs/tell.h"
#include <stdlib.h>

__attribute__((noinline)) void product(int n, int m, int k, double c[n][m], double a[n][k], double b[k][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++)
        sum += a[i][l] * b[l][j];
      c[i][j] = sum;
    }
}

__attribute__((noinline)) void filter(int n, int m, float to[n][m], float of[n + 3][m + 3], float by[4][4]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float sum = 0;
      for (int k = 0; k < 4; k++)
        for (int l = 0; l < 4; l++)
          sum += of[i + k][j + l] * by[k][l];
      to[i][j] = sum;
    }
}

// The last record ends four bytes behind what is touched of it.
struct point {
  double x, y, z;
  float weight;
  int number;
};

__attribute__((noinline)) void move(int n, struct point *p, double step) {
  for (int i = 0; i < n; i++) {
    p[i].x += p[i].weight * step;
    p[i].y -= step;
    p[i].z = p[i].x * p[i].y;
  }
}

struct __attribute__((packed)) odd {
  short a;
  long b;
  char c;
};

__attribute__((noinline)) void odd(int n, struct odd *p) {
  for (int i = 0; i < n; i++) {
    p[i].b = p[i].b * 3 + p[i].a;
    p[i].c++;
  }
}

__attribute__((noinline)) void planes(int steps, int n, float a[2][n][n]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[(t + 1) % 2][i][j] = 0.25f * (a[t % 2][i][j] + a[t % 2][i - 1][j] + a[t % 2][i][j + 1]);
}

__attribute__((noinline)) void lines(int steps, int n, double u[3][n]) {
  for (int t = 1; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      u[(t + 1) % 3][i] = 2 * u[t % 3][i] - u[(t + 2) % 3][i] + 0.1 * (u[t % 3][i - 1] + u[t % 3][i + 1]);
}

__attribute__((noinline)) void looked_up(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    if (a[i] > 2)
      a[i] = b[i];
}

// What is written between loops may be what the kernel there reads: such loads have to be coherent, so the host runs
// that.
__attribute__((noinline)) void between(int n, double *a, double *b, double *out) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] + 1;
  *out = a[n - 1];
  for (int i = 0; i < n; i++)
    b[i] = a[i] * 2;
}

// Arrays end where what is touched ends.
static void *filled(size_t bytes) {
  unsigned char *all = malloc(bytes + 1);
  for (size_t i = 0; i < bytes; i++)
    all[i] = i * 37 % 61;
  return all;
}

#define NUMBERS(type, all, n)                                                                                                              \
  for (int i = 0; i < (n); i++)                                                                                                            \
  ((type *)(all))[i] = (i * 7919 + 5) % 1009 / 17.0 + 0.1

static void of_size(int n, int m, int k) {
  double *a = filled(n * k * 8), *b = filled(k * m * 8), *c = filled(n * m * 8);
  NUMBERS(double, a, n *k);
  NUMBERS(double, b, k *m);
  product(n, m, k, (void *)c, (void *)a, (void *)b);
  tell("product", c, n * m * 8);
  float *to = filled(n * m * 4), *of = filled((n + 3) * (m + 3) * 4), by[16];
  NUMBERS(float, of, (n + 3) * (m + 3));
  NUMBERS(float, by, 16);
  filter(n, m, (void *)to, (void *)of, (void *)by);
  tell("filter", to, n * m * 4);
  struct point *p = filled(5 * n * sizeof *p);
  for (int i = 0; i < 5 * n; i++)
    p[i] = (struct point){i, 2.5, 0, i % 7, i};
  move(5 * n, p, 0.3);
  tell("points", p, 5 * n * sizeof *p);
  struct odd *q = filled(n * sizeof *q);
  odd(n, q);
  tell("odd", q, n * sizeof *q);
  float *plane = filled(2 * m * m * 4);
  NUMBERS(float, plane, 2 * m * m);
  planes(k, m, (void *)plane);
  tell("planes", plane, 2 * m * m * 4);
  double *line = filled(3 * m * 8);
  NUMBERS(double, line, 3 * m);
  lines(k, m, (void *)line);
  tell("lines", line, 3 * m * 8);
  looked_up(m, line, line + m);
  tell("looked up", line, 3 * m * 8);
  free(a), free(b), free(c), free(to), free(of), free(p), free(q), free(plane), free(line);
}

int main(void) {
  of_size(20, 30, 7);
  of_size(0, 0, 0);
  of_size(1, 1, 1);
  of_size(5, 4, 0);
  of_size(33, 65, 2);
  static double a[100], b[100], out;
  between(100, a, b, &out);
  between(100, a, b, a + 99);
  between(100, a, b, b + 50);
  tell("between", a, sizeof a);
  return 0;
}
