// Loops that carry a dependence stay in one thread, whatever the options ask for, and it is said why.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -gline-tables-only %s -o %t.ll
// RUN: %opt -passes='polyrs<parallel;parallel-force;process-unprofitable;fatal-bugs>,verify' -pass-remarks-missed=polyrs %t.ll -S -o %t.out.ll 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.out.ll
// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force;process-unprofitable>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=AST

// CHECK-NOT: kmpc
// CHECK-NOT: polyrs.body
// AST-NOT: #pragma parallel

#define N 1000
double A[N], x[1];

// REMARK: :[[#@LINE+2]]:{{.*}} loops run in one thread: every loop carries a dependence
void prefix_sum(void) {
  for (int i = 1; i < N; i++)
    A[i] += A[i - 1];
}

// REMARK: :[[#@LINE+2]]:{{.*}} loops run in one thread: every loop carries a dependence
void sum_in_memory(void) {
  for (int i = 0; i < N; i++)
    x[0] += A[i];
}

// A scalar takes a value from one iteration to the next.
// REMARK: :[[#@LINE+3]]:{{.*}} loops run in one thread: every loop carries a dependence
void difference(void) {
  double before = 0.5;
  for (int i = 0; i < N; i++) {
    double now = A[i];
    A[i] = now - before;
    before = now;
  }
}

// One scalar all along: the waves in which the rest could run do not have one each.
// REMARK: :[[#@LINE+4]]:{{.*}} loops run in one thread: every loop carries a dependence
static short a[N];
void skewed(int n) {
  short s = 1;
  for (int i = 0; i < n; i++) {
    s -= a[i];
    for (int j = 2; j < 9; j++)
      a[2 * i] = a[i + 3];
  }
  a[2] = s;
}
