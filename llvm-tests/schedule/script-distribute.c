// A loop becomes one per statement by a script; where a statement needs what the other one wrote an iteration before,
// that is refused.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: echo 'region apart' > %t.script
// RUN: echo 'distribute Stmt0.i' >> %t.script
// RUN: echo 'region bound' >> %t.script
// RUN: echo 'distribute Stmt0.i' >> %t.script
// RUN: %opt '-passes=print<polyrs-ast>' -disable-output -polyrs-only-func=apart -polyrs-transform=%t.script %t.ll 2>&1 | FileCheck %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=bound -polyrs-transform=%t.script %t.ll 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ILLEGAL

// CHECK: for (c0 = 0; c0 <= 99; c0++)
// CHECK-NEXT: Stmt0(c0);
// CHECK-NEXT: for ([[C:c[01]]] = 0; [[C]] <= 99; [[C]]++)
// CHECK-NEXT: Stmt1([[C]]);
// ILLEGAL: is illegal: Stmt0[{{.*}}] must run after Stmt1[{{.*}}] (RAW dependence) but does not

double A[101], B[101], C[101];

void apart(void) {
  for (int i = 0; i < 100; i++) {
    B[i] = A[i] * 2;
    C[i] = B[i] + 1;
  }
}

void bound(void) {
  for (int i = 0; i < 100; i++) {
    B[i] = C[i] * 2;
    C[i + 1] = A[i] + 1;
  }
}
