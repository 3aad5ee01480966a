// Filters along rows and along columns in one region: the nests that run along columns get arrays for their scalars,
// whose strips walk along rows. Those that run along rows get some as well where rows become lanes of vectors, and keep
// their order where they cannot: of every other element there is no vector.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -gline-tables-only -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -pass-remarks-missed=polyrs -polyrs-fatal-bugs -polyrs-verify-ast -disable-output %t.ll 2>&1 \
// RUN:   | FileCheck %s
// RUN: %clang -O3 -DMAIN %s -o %t.old
// RUN: %clang -O3 -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define N 600
#define FN __attribute__((noinline)) void
static float in[N][2 * N], mid[N][N], out[N][N];

// CHECK: strips-of-columns.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}scalars in arrays for strips of {{[0-9]+}}, interchanged
FN both(float a, float b) {
  for (int i = 0; i < N; i++) {
    float last = 0;
    for (int j = 0; j < N; j++) {
      last = a * in[i][2 * j] + b * last;
      mid[i][j] = last;
    }
  }
  for (int j = 0; j < N; j++) {
    float last = 0;
    for (int i = 0; i < N; i++) {
      last = a * mid[i][j] + b * last;
      out[i][j] = last;
    }
  }
}

// CHECK: strips-of-columns.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}scalars in arrays for strips of {{[0-9]+}}, {{.*}}rows in 8 lanes, {{.*}}interchanged
FN both_in_arrays(float a, float b) {
  for (int i = 0; i < N; i++) {
    float last = 0;
    for (int j = 0; j < N; j++) {
      last = a * in[i][j] + b * last;
      mid[i][j] = last;
    }
  }
  for (int j = 0; j < N; j++) {
    float last = 0;
    for (int i = 0; i < N; i++) {
      last = a * mid[i][j] + b * last;
      out[i][j] = last;
    }
  }
}

// CHECK: strips-of-columns.c:[[#@LINE+2]]:{{[0-9]+}}: order of the loops kept
FN rows_alone(float a, float b) {
  for (int i = 0; i < N; i++) {
    float last = 0;
    for (int j = 0; j < N; j++) {
      last = a * in[i][2 * j] + b * last;
      mid[i][j] = last;
    }
  }
}

#ifdef MAIN
static void show(void) {
  float sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += out[i][j] * (float)(1 + (i + 3 * j) % 7);
  printf("%a %a\n", sum, out[N - 1][N - 1]);
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < 2 * N; j++)
      in[i][j] = (float)((i * 7 + j * 3) % 101) / 101;
  both(0.25f, 0.75f);
  show();
  both_in_arrays(0.75f, 0.5f);
  show();
  rows_alone(0.5f, 0.125f);
  printf("%a\n", mid[N - 1][N - 2]);
}
#endif
