// Loops whose control flow cannot be modelled.

// RUN: %clang -O1 -gline-tables-only -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s

// A second way out of the loop.
int find(int n, double *a, double x) {
  // CHECK: control-flow.c:[[#@LINE+1]]:{{.*}}not optimized: this loop has several exits or may not end
  for (int i = 0; i < n; i++) {
    a[i] += 1.0;
    if (a[i] == x)
      return i;
  }
  return -1;
}

// A choice among many.
void pick(int n, int m, double *a) {
  for (int i = 0; i < n; i++) {
    // CHECK: control-flow.c:[[#@LINE+1]]:{{.*}}not optimized: the control flow here is not made of nested loops and conditions
    switch (m) {
    case 1: a[i] += 1.0; break;
    case 2: a[i] += 2.0; break;
    case 7: a[i] += 3.0; break;
    default: a[i] = 0.0;
    }
  }
}
