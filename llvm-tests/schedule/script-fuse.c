// Two loops become one by a script where values arrive in time; where one comes from a later iteration that is refused.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: echo 'region in_time' > %t.script
// RUN: echo 'fuse Stmt0 Stmt1' >> %t.script
// RUN: echo 'region too_early' >> %t.script
// RUN: echo 'fuse Stmt0 Stmt1' >> %t.script
// RUN: %opt '-passes=print<polyrs-ast>' -disable-output -polyrs-only-func=in_time -polyrs-transform=%t.script %t.ll 2>&1 | FileCheck %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=too_early -polyrs-transform=%t.script %t.ll 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ILLEGAL

// CHECK: for (c0 = 0; c0 <= 99; c0++) {
// CHECK-NEXT: Stmt0(c0);
// CHECK-NEXT: Stmt1(c0);
// CHECK-NEXT: }
// ILLEGAL: is illegal: Stmt1[{{.*}}] must run after Stmt0[{{.*}}] (RAW dependence) but does not

double A[101], B[101], C[101];

void in_time(void) {
  for (int i = 0; i < 100; i++)
    B[i] = A[i] * 2;
  for (int i = 0; i < 100; i++)
    C[i] = B[i] + 1;
}

void too_early(void) {
  for (int i = 0; i < 100; i++)
    B[i + 1] = A[i] * 2;
  for (int i = 0; i < 99; i++)
    C[i] = B[i + 2] + 1;
}
