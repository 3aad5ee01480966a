// A switch is a chain of conditions: loops around one are modelled.

// RUN: %clang -O3 -I%S/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-only-func='pick|by_counter' -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: 2 regions transformed

#include "dump.h"

KERNEL void pick(int n, int m, double *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 10; j++) {
      switch (m) {
      case 1: a[i * 10 + j] += 1.0; break;
      case 2: a[i * 10 + j] += 2.0; break;
      case 7: a[i * 10 + j] += 3.0; break;
      default: a[i * 10 + j] *= 0.5;
      }
    }
}

KERNEL void by_counter(int n, double *a) {
  for (int t = 0; t < 5; t++)
    for (int i = 1; i < n; i++) {
      switch (i) {
      case 3: a[i] += 1.0; break;
      case 4:
      case 5: a[i] = a[i - 1]; break;
      case 19: a[i] -= 3.0; break;
      default: a[i] = 0.5 * a[i] + a[i - 1];
      }
    }
}

int main(void) {
  static double a[400];
  fill(a, 400, 1);
  for (int m = 0; m < 9; m++) {
    pick(40, m, a);
    dump("a", a, sizeof a);
  }
  for (int n = 1; n < 30; n += 5) {
    by_counter(n, a);
    dump("a", a, sizeof a);
  }
}
