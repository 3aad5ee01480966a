// A stencil in place: no tile loop of its skewed band is free of dependences, so tiles run in wavefronts, those of one
// in threads. The results are those of clang alone, whatever the number of threads.

// REQUIRES: libomp
// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-schedule>' -polyrs-only-func=stencil -polyrs-process-unprofitable -polyrs-parallel -polyrs-tile-sizes=4,8,8 \
// RUN:   -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt '-passes=print<polyrs-schedule>' -polyrs-only-func=stencil -polyrs-process-unprofitable -polyrs-tile-sizes=4,8,8 \
// RUN:   -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %clang -O3 -I%S/../codegen/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-parallel \
// RUN:   -mllvm -polyrs-parallel-force -mllvm -polyrs-tile-sizes=4,8,8 -mllvm -polyrs-fatal-bugs -mllvm -polyrs-report %s -o %t.new -lomp 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DONE
// RUN: %t.old > %t.old.txt
// RUN: env OMP_NUM_THREADS=1 %t.new > %t.1.txt
// RUN: env OMP_NUM_THREADS=3 %t.new > %t.3.txt
// RUN: diff %t.old.txt %t.1.txt
// RUN: diff %t.old.txt %t.3.txt

// CHECK: wavefront
// CHECK: schedule: "{{.*}}[(floor((i0)/4) + floor((i0 + i1)/8))]{{.*}}[(floor((i0 + i1)/8))]
// CHECK: coincident: [ 0, 1
// CHECK: roles: "{ threads[1] }"
// CHECK: mark: "point"

// ONE-NOT: wavefront
// ONE-NOT: roles:
// ONE: schedule: "{{.*}}[(floor((i0)/4))]

// DONE: {{ }}2 regions transformed

#include "dump.h"

static double a[61][53];

KERNEL void stencil(void) {
  for (int t = 0; t < 13; t++)
    for (int i = 1; i < 60; i++)
      for (int j = 1; j < 52; j++)
        a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j]) / 5.0;
}

int main(void) {
  fill(&a[0][0], 61 * 53, 1);
  stencil();
  dump("a", a, sizeof a);
}
