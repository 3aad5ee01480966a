// A stencil in place: only skewed loops can be tiled. Both space loops are skewed by the time loop, and j by i: once
// for the tiles, and once more so that jammed copies of rows do not wait for each other.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-schedule>' -polyrs-process-unprofitable -disable-output %t.ll 2>&1 | FileCheck %s

void seidel(double a[400][400]) {
  for (int t = 0; t < 100; t++)
    for (int i = 1; i < 399; i++)
      for (int j = 1; j < 399; j++)
        a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                   a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) / 9.0;
}

// CHECK: skewed, tiled
// CHECK: schedule: "[{ Stmt0[i0, i1, i2] -> [(floor((i0)/{{[0-9]+}}))] }, { Stmt0[i0, i1, i2] -> [(floor((i0 + i1)/{{[0-9]+}}))] }, { Stmt0[i0, i1, i2] -> [(floor((3i0 + 2i1 + i2)/{{[0-9]+}}))] }]"
// CHECK-NEXT: permutable: 1
// CHECK: schedule: "[{ Stmt0[i0, i1, i2] -> [(i0)] }, { Stmt0[i0, i1, i2] -> [(i0 + i1)] }, { Stmt0[i0, i1, i2] -> [(3i0 + 2i1 + i2)] }]"
// CHECK-NEXT: permutable: 1
