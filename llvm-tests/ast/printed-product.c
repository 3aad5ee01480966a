// A matrix product as C, whole: what is printed must stay as it is.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-ast>' -polyrs-tile-sizes=32,32,32 -disable-output %t.ll 2>&1 | FileCheck %s

double a[1024][1024], b[1024][1024], c[1024][1024];

void product(void) {
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 1024; j++)
      for (int k = 0; k < 1024; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// checks below are written by scripts/update_tests.py
// CHECK: for (c0 = 0; c0 <= 31; c0++) {
// CHECK-NEXT: for (c1 = 0; c1 <= 31; c1++) {
// CHECK-NEXT: for (c2 = 0; c2 <= 31; c2++) {
// CHECK-NEXT: for (c3 = 32 * c0; c3 <= 32 * c0 + 31; c3 += 2) {
// CHECK-NEXT: for (c4 = 32 * c1; c4 <= 32 * c1 + 31; c4 += 4) {
// CHECK-NEXT: for (c5 = 32 * c2; c5 <= 32 * c2 + 31; c5++) {
// CHECK-NEXT: Stmt0(c3, c5, c4);
// CHECK-NEXT: Stmt0(c3, c5, c4 + 1);
// CHECK-NEXT: Stmt0(c3, c5, c4 + 2);
// CHECK-NEXT: Stmt0(c3, c5, c4 + 3);
// CHECK-NEXT: Stmt0(c3 + 1, c5, c4);
// CHECK-NEXT: Stmt0(c3 + 1, c5, c4 + 1);
// CHECK-NEXT: Stmt0(c3 + 1, c5, c4 + 2);
// CHECK-NEXT: Stmt0(c3 + 1, c5, c4 + 3);
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
