// The product's loops are interchanged so that the contiguous one is innermost, tiled but for whole rows, and jammed;
// the scaling is split off, and does too little to be tiled or vectorized. Without tiling the same order comes without
// tile loops.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt "-passes=print<polyrs-schedule>" -polyrs-tiling=false -disable-output %t.ll 2>&1 | FileCheck --check-prefix=PLAIN %s

void product(int n, double a[1024][1024], double b[1024][1024], double c[restrict 1024][1024]) {
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 1024; j++) {
      c[i][j] *= 0.5;
      for (int k = 0; k < 1024; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}

// CHECK: distributed, interchanged, tiled {{.*}}, unrolled and jammed by
// CHECK: sequence:
// CHECK: filter: "{ Stmt0[i0, i1] }"
// CHECK: mark: "minor"
// CHECK: filter: "{ Stmt1[i0, i1, i2] }"
// CHECK: mark: "tile(
// CHECK: floor((i2)/
// CHECK: options: "{ separate[1] }"
// CHECK: mark: "point"
// CHECK: schedule: "[{ Stmt1[i0, i1, i2] -> [({{i[02]}})] }, { Stmt1[i0, i1, i2] -> [({{i[02]}})] }, { Stmt1[i0, i1, i2] -> [(i1)] }]"
// CHECK-NEXT: permutable: 1
// CHECK: unroll_jam[0,

// PLAIN: distributed, interchanged
// PLAIN-NOT: tile(
// PLAIN-NOT: floor
// PLAIN: -> [(i1)] }]"
