// What LLVM makes of short loops around which nothing that is read may be written: it finds sums in registers, loads
// what stays the same in front of all loops, and makes vectors of straight code.

// RUN: %clang -O3 -march=x86-64-v4 -ffp-contract=off -fpass-plugin=%plugin \
// RUN:   -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin \
// RUN:   -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,NARROW

// Both inner loops become straight code in vectors of the points: kept. "Packed", this ran at 0.2 of clang's speed.
// CHECK: :[[#@LINE+2]]:{{.*}} order of the loops kept
void channels(int n, float *restrict out, const float (*restrict m)[12], const float *restrict in) {
  for (int t = 0; t < n; t++)
    for (int s = 0; s < 4; s++)
      for (int k = 0; k < 12; k++)
        out[t * 4 + s] += m[s][k] * in[t * 12 + k];
}

// The matrix fits vectors that are loaded once, where the processor gathers: 0.6 there. Others put each together anew.
// WIDE: :[[#@LINE+3]]:{{.*}} order of the loops kept
// NARROW: :[[#@LINE+2]]:{{.*}} loops reordered: packed
void matrix(int n, float *restrict out, const float (*restrict m)[16], const float *restrict in) {
  for (int t = 0; t < n; t++)
    for (int s = 0; s < 16; s++)
      for (int k = 0; k < 16; k++)
        out[t * 16 + s] += m[s][k] * in[t * 16 + k];
}

// Four sums side by side.
// CHECK: :[[#@LINE+2]]:{{.*}} order of the loops kept
void gates(int n, float *restrict g, const float *restrict w, const float *restrict x) {
  for (int q = 0; q < n; q++)
    for (int k = 0; k < 16; k++) {
      float v = x[q * 16 + k];
      for (int i = 0; i < 4; i++)
        g[q * 4 + i] += w[i * 16 + k] * v;
    }
}

// The inner loop becomes straight code, and the table then has vectors of rows, 16 elements apart: 7 times as slow as
// the rows themselves.
// CHECK: :[[#@LINE+2]]:{{.*}} loops reordered: {{.*}}vectorizable
void activation(int n, float *restrict x, const float *restrict scale, const float *restrict shift) {
  for (int q = 0; q < n; q++)
    for (int i = 0; i < 16; i++) {
      float v = x[q * 16 + i] * scale[i] + shift[i];
      x[q * 16 + i] = v > 0 ? v : 0.1f * v;
    }
}

// All of a row is touched, by several statements, one of them in front of the inner loop: whole rows are stored.
// CHECK: :[[#@LINE+2]]:{{.*}} order of the loops kept
void powers(int n, float (*restrict v)[8], const float *restrict x) {
  for (int i = 0; i < n; i++) {
    v[i][0] = 1;
    for (int j = 1; j <= 7; j++)
      v[i][j] = v[i][j - 1] * x[i];
  }
}
