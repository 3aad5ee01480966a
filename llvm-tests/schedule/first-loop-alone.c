// Steps in time that depend on each other in a circle keep the time loop outside, and each has its own order of loops
// inside where that is better than one skewed band of all. Where loops inside bind the steps together, they share them.

// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=sweeps %t.ll 2>&1 | FileCheck --check-prefix=SWEEPS %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=bound %t.ll 2>&1 | FileCheck --check-prefix=BOUND %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DRUN -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-report %s -DRUN -o %t.new 2>&1 \
// RUN:   | FileCheck --check-prefix=REPORT %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define KERNEL __attribute__((noinline))

// REPORT: regions transformed

// The columns' sweep runs along rows, the rows' sweep as it is.
// SWEEPS: interchanged
// SWEEPS-NOT: skewed
// SWEEPS: domain:
// SWEEPS-NEXT: child:
// SWEEPS-NEXT: schedule: {{.*}}(i0)
// SWEEPS: sequence:
KERNEL void sweeps(int steps, int n, float x[restrict n][n], float y[restrict n][n], float z[restrict n][n]) {
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < n; j++)
      for (int i = n - 2; i >= 0; i--)
        x[i][j] = 0.5f * (x[i][j] - 0.25f * x[i + 1][j]);
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        y[i][j] = x[i][j] - 0.5f * y[i][j - 1];
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        x[i][j] += 0.125f * y[i][j] * z[i][j];
  }
}

// Each column needs the one before in both arrays.
// BOUND-NOT: sequence:
KERNEL void bound(int steps, int n, double x[restrict n], double y[restrict n]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n; i++) {
      x[i] = x[i - 1] + y[i - 1];
      y[i] = x[i] - 0.5 * y[i];
    }
}

#ifdef RUN
#define N 301
static float x[N * N], y[N * N], z[N * N];
static double u[N], v[N];

static void show(const char *name, const float *of, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum = sum * 0.75 + of[i];
  printf("%s %a\n", name, sum);
}

int main(void) {
  for (int i = 0; i < N * N; i++)
    x[i] = (i * 7919 % 1000) / 8.0f, y[i] = (i * 104729 % 1000) / 16.0f, z[i] = (i * 31 % 100) / 64.0f;
  for (int n = N; n > 0; n = n * 2 / 3)
    sweeps(4, n, (void *)x, (void *)y, (void *)z), show("x", x, N * N), show("y", y, N * N);
  for (int i = 0; i < N; i++)
    u[i] = i / 8.0, v[i] = i / 16.0;
  bound(5, N, u, v);
  printf("%a %a\n", u[N - 1], v[N / 2]);
  return 0;
}
#endif
