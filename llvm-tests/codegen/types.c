// Elements of other types than double; a region without any run-time check.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-default-tile-size=4 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}3 regions transformed

#include "dump.h"

#include <stdint.h>
#define N 26
static float F[N][N];
static int32_t I[N][N];
static int16_t S[N][N];
static uint8_t C[N][N];
static int64_t L[N][N];

KERNEL void mixed(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      F[j][i] = F[j][i] * 1.5f + (float)i;
      I[j][i] += i * j - 3;
      S[j][i] = (int16_t)(S[j][i] * 3 + j);
      C[j][i] ^= (uint8_t)(i + j);
      L[j][i] -= (int64_t)i * 100000000000 + j;
    }
}

KERNEL void pairs(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      I[i][j] = I[i][j - 1] + S[j][i] * C[i][j];
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      F[i][j] = i - j, I[i][j] = i * j, S[i][j] = 900 * i - j, C[i][j] = 7 * i + j, L[i][j] = i;
  mixed();
  pairs(N);
  dump("F", F, sizeof F);
  dump("I", I, sizeof I);
  dump("S", S, sizeof S);
  dump("C", C, sizeof C);
  dump("L", L, sizeof L);
}
