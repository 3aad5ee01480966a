// Rows side by side in lanes compare, choose and convert numbers: sums of absolute differences of windows, clipped and
// counted ones, numbers of another type. Element by element the same bits, those of NaN and -0 too.

// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.lanes
// RUN: %t.lanes | diff %t.expected -
// RUN: %clang -O3 -march=x86-64-v3 -g -fpass-plugin=%plugin -Rpass=polyrs -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=LANES --implicit-check-not=llvm.masked.gather --input-file=%t.ll

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SUM(name, X, W, of)                                                                                            \
  __attribute__((noinline)) void name(int n, int m, const X *restrict x, const W *restrict w, W *restrict y) {         \
    for (int i = 0; i < m; i++) {                                                                                      \
      W s = 0;                                                                                                         \
      for (int j = 0; j < n; j++)                                                                                      \
        for (int k = 0; k < n; k++) {                                                                                  \
          X a = x[(i + j) * 64 + k];                                                                                   \
          W b = w[j * n + k], d = a - b;                                                                               \
          s += of;                                                                                                     \
        }                                                                                                              \
      y[i] = s;                                                                                                        \
    }                                                                                                                  \
  }

// LANES-DAG: fcmp olt <8 x float>
// LANES-DAG: select <8 x i1>
// LANES-DAG: sitofp <8 x i32>
// LANES-DAG: uitofp <8 x i32>
// LANES-DAG: fpext <4 x float>
// LANES-DAG: fptrunc <4 x double>
// CHECK: lanes-choices.c:[[#@LINE+1]]:{{[0-9]+}}: remark: loops reordered: {{.*}}rows in 8 lanes
SUM(differences, float, float, d < 0 ? -d : d)
// CHECK: lanes-choices.c:[[#@LINE+1]]:{{[0-9]+}}: remark: loops reordered: {{.*}}rows in 4 lanes
SUM(clipped, double, double, d > 1 ? 1 : d < -1 ? -1 : d)
// CHECK: lanes-choices.c:[[#@LINE+1]]:{{[0-9]+}}: remark: loops reordered: {{.*}}lanes
SUM(unordered, float, float, !(d >= 1.5f) ? b : -d)
// CHECK: lanes-choices.c:[[#@LINE+1]]:{{[0-9]+}}: remark: loops reordered: {{.*}}lanes
SUM(integers, int, float, a * b)
// CHECK: lanes-choices.c:[[#@LINE+1]]:{{[0-9]+}}: remark: loops reordered: {{.*}}lanes
SUM(unsigned_integers, unsigned, float, a * b)
// CHECK: lanes-choices.c:[[#@LINE+1]]:{{[0-9]+}}: remark: loops reordered: {{.*}}lanes
SUM(wider, float, double, a *b)
// CHECK: lanes-choices.c:[[#@LINE+1]]:{{[0-9]+}}: remark: loops reordered: {{.*}}lanes
SUM(narrower, double, float, (float)a * b)

static float xf[128 * 64], wf[64 * 64], yf[64];
static double xd[128 * 64], wd[64 * 64], yd[64];
static int xi[128 * 64];

static unsigned long long hash;

static void see(const void *bytes, int count) {
  for (int i = 0; i < count; i++)
    hash = hash * 1099511628211u + ((const unsigned char *)bytes)[i];
}

int main(void) {
  for (int i = 0; i < 128 * 64; i++) {
    xi[i] = (i * 7919) ^ (i % 3 ? 0 : -1);
    xf[i] = i % 1013 == 5 ? NAN : i % 17 == 3 ? -0.0f : (i * 31 % 127) / 16.0f - 3;
    xd[i] = xf[i] / 3;
  }
  for (int i = 0; i < 64 * 64; i++)
    wd[i] = wf[i] = i % 23 == 3 ? 0.0f : (i * 37 % 113) / 16.0f - 3;
  for (int m = 29; m < 54; m += 8) {
    int n = 64 - m / 2;
    differences(n, m, xf, wf, yf), see(yf, sizeof yf);
    clipped(n, m, xd, wd, yd), see(yd, sizeof yd);
    unordered(n, m, xf, wf, yf), see(yf, sizeof yf);
    integers(n, m, xi, wf, yf), see(yf, sizeof yf);
    unsigned_integers(n, m, (unsigned *)xi, wf, yf), see(yf, sizeof yf);
    wider(n, m, xf, wd, yd), see(yd, sizeof yd);
    narrower(n, m, xd, wf, yf), see(yf, sizeof yf);
    printf("%016llx\n", hash);
  }
}
