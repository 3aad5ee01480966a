// Iterations of a loop are interleaved in those inside by a script; where that turns a dependence around it is refused.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: echo 'region product' > %t.script
// RUN: echo 'jam i 2' >> %t.script
// RUN: echo 'region stencil' >> %t.script
// RUN: echo 'jam i 2' >> %t.script
// RUN: %opt '-passes=print<polyrs-ast>' -disable-output -polyrs-only-func=product -polyrs-transform=%t.script %t.ll 2>&1 | FileCheck %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=stencil -polyrs-transform=%t.script %t.ll 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ILLEGAL

// CHECK: for (c0 = 0; c0 <= 99; c0 += 2)
// CHECK-NEXT: for (c1 = 0; c1 <= 99; c1++)
// CHECK-NEXT: for (c2 = 0; c2 <= 99; c2++) {
// CHECK-NEXT: Stmt0(c0, c1, c2);
// CHECK-NEXT: Stmt0(c0 + 1, c1, c2);
// CHECK-NEXT: }
// ILLEGAL: is illegal: Stmt0[{{.*}}] must run after Stmt0[{{.*}}] (RAW dependence) but does not

double A[100][100], B[100][100], C[100][100];

void product(void) {
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 100; j++)
      for (int k = 0; k < 100; k++)
        C[i][j] += A[i][k] * B[k][j];
}

void stencil(void) {
  for (int i = 1; i < 100; i++)
    for (int j = 0; j < 99; j++)
      A[i][j] = A[i - 1][j + 1];
}
