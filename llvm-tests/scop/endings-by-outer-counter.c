// A test that ends the program by a counter of a loop around the region: no iteration of the region has a later value
// of it, and all of them are looked at.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<polyrs-scops>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %clang -O2 %s -o %t.plain
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs %s -o %t.polyrs
// RUN: %t.plain > %t.expected
// RUN: %t.polyrs > %t.got
// RUN: cmp %t.expected %t.got

#include <stdio.h>
#include <stdlib.h>

int rows;
__attribute__((noinline)) static void count(void) {
  __asm__ volatile("" ::: "memory");
  rows++;
}

// CHECK-LABEL: scop kernel:0
// CHECK: # tested: 1 conditions for [p0] -> { Stmt0[i0] : 1 <= i0 <= 40 }
__attribute__((noinline)) void kernel(const unsigned long *restrict lengths, int *restrict a) {
  for (unsigned long i = 0; i < 13; i++) {
    for (unsigned long j = 1; j < 41; j++) {
      if (lengths[j] <= 2 * i) {
        printf("%d rows\n", rows);
        exit(0);
      }
      a[j * 13 + i] = 3;
    }
    count();
  }
}

int main(void) {
  static unsigned long lengths[41];
  static int a[41 * 13];
  for (int k = 0; k < 41; k++)
    lengths[k] = k == 20 ? 20 : 100;
  kernel(lengths, a);
  puts("all");
}
