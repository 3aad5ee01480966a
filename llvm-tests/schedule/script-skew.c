// A skewed nest may be tiled by a script; skewed the wrong way, or not at all, that is refused.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: echo 'region stencil' > %t.script
// RUN: echo 'skew j i 1' >> %t.script
// RUN: echo 'tile i j 4 8' >> %t.script
// RUN: echo 'region stencil' > %t.wrong
// RUN: echo 'skew j i -1' >> %t.wrong
// RUN: echo 'tile i j 4 8' >> %t.wrong
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-transform=%t.script %t.ll 2>&1 | FileCheck %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-transform=%t.wrong %t.ll 2>&1 | FileCheck %s --check-prefix=ILLEGAL
// RUN: %opt '-passes=polyrs<verify-ast>,verify' -disable-output -polyrs-transform=%t.script %t.ll 2>&1 | FileCheck %s --check-prefix=REPLAYED

// CHECK: [(floor((i0)/4))]{{.*}}[(floor((i0 + i1)/8))]
// ILLEGAL: is illegal: Stmt0[{{.*}}] must run after Stmt0[{{.*}}] (RAW dependence) but does not
// REPLAYED: loops of stencil:0: {{.*}}agree

double A[30][30];

void stencil(void) {
  for (int i = 1; i < 30; i++)
    for (int j = 0; j < 29; j++)
      A[i][j] = A[i - 1][j + 1];
}
