// A dependence along the diagonal: no loop or sum of loops is free of it, their difference is. The linear relaxation
// gives the same skewed loops as the integer program.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=diagonal -polyrs-process-unprofitable -polyrs-parallel \
// RUN:   -polyrs-tiling=false -polyrs-negative-coefficients %t.ll 2>&1 | FileCheck --check-prefix=SIGNED %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=diagonal -polyrs-process-unprofitable -polyrs-parallel \
// RUN:   -polyrs-tiling=false %t.ll 2>&1 | FileCheck --check-prefix=PLAIN %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=far -polyrs-process-unprofitable -polyrs-tile-sizes=4 \
// RUN:   %t.ll > %t.ilp.txt 2>&1
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=far -polyrs-process-unprofitable -polyrs-tile-sizes=4 \
// RUN:   -polyrs-pluto-lp %t.ll > %t.lp.txt 2>&1
// RUN: diff %t.ilp.txt %t.lp.txt
// RUN: FileCheck --check-prefix=SKEWED %s < %t.lp.txt
// RUN: %clang -O3 -I%S/../codegen/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-negative-coefficients -mllvm -polyrs-pluto-lp -mllvm -polyrs-tile-sizes=4 -mllvm -polyrs-report %s -o %t.new 2>&1 \
// RUN:   | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}3 regions transformed

// SIGNED: schedule: "{{.*}}[({{i0 - i1|-i0 \+ i1}})]
// SIGNED: coincident: [ 1, 0 ]
// SIGNED: roles: "{ threads[0] }"

// PLAIN: schedule: "{{.*}}[(i0)]{{.*}}[(i1)]
// PLAIN: roles: "{ threads[1] }"

// SKEWED: skewed
// SKEWED: [(floor((5i0 + i1)/4))]

#include "dump.h"

KERNEL void diagonal(double a[restrict 50][60]) {
  for (int i = 1; i < 50; i++)
    for (int j = 1; j < 60; j++)
      a[i][j] = 0.5 * a[i - 1][j - 1] + 1;
}

KERNEL void far(double a[restrict 50][60]) {
  for (int i = 1; i < 50; i++)
    for (int j = 1; j < 55; j++)
      a[i][j] = 0.5 * a[i - 1][j + 5] + 0.25 * a[i][j - 1];
}

static double data[50][60];

int main(void) {
  fill(&data[0][0], 3000, 1);
  diagonal(data);
  dump("diagonal", data, sizeof data);
  far(data);
  dump("far", data, sizeof data);
}
