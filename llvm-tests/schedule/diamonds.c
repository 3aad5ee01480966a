// A stencil from one array to another: tiles are diamonds in time and the outer space loop, so that those of one
// wavefront lie along the first time step and can all start at once. The loops inside are not skewed. Without the
// option they are, and nothing is gained.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-schedule>' -polyrs-tile-sizes=32,32,1 -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt '-passes=print<polyrs-ast>' -polyrs-tile-sizes=32,32,1 -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=AST
// RUN: %opt '-passes=polyrs' -pass-remarks=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %opt '-passes=print<polyrs-schedule>' -polyrs-diamond-tiling=false -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=OFF

double a[2000][2000], b[2000][2000];

void jacobi(void) {
  for (int t = 0; t < 500; t++) {
    for (int i = 1; i < 1999; i++)
      for (int j = 1; j < 1999; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
    for (int i = 1; i < 1999; i++)
      for (int j = 1; j < 1999; j++)
        a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i - 1][j] + b[i + 1][j]);
  }
}

// CHECK: tiled in diamonds 32x32
// CHECK: schedule: "[{ Stmt0[i0, i1, i2] -> [(floor((2i0 + i1)/32) + floor((2i0 - i1)/32))]
// CHECK-SAME: { Stmt0[i0, i1, i2] -> [(floor((2i0 - i1)/32))]
// CHECK-NEXT: permutable: 1
// CHECK-NEXT: coincident: [ 0, 1 ]
// CHECK: mark: "point"
// CHECK-NEXT: child:
// CHECK-NEXT: schedule: "[{ Stmt0[i0, i1, i2] -> [(i0)]; Stmt1[i0, i1, i2] -> [(i0)] }]"
// CHECK: - filter: "{ Stmt0[i0, i1, i2] }"
// CHECK-NEXT: child:
// CHECK-NEXT: schedule: "[{ Stmt0[i0, i1, i2] -> [(i1)] }, { Stmt0[i0, i1, i2] -> [(i2)] }]"
// The innermost loops run over whole rows in every tile: full tiles have no loops of their own.
// AST-COUNT-1: Stmt0(
// AST-NOT: Stmt0(
// REMARK: loops reordered: vectorizable, tiled in diamonds
// OFF: order kept
