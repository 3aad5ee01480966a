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

// A jump out of an instruction.
void skip(int n, double *a) {
  for (int i = 0; i < n; i++) {
    // CHECK: control-flow.c:[[#@LINE+1]]:{{.*}}not optimized: the control flow here is not made of nested loops and conditions
    asm goto("" : : : : over);
    a[i] += 1.0;
  over:
    a[i] *= 0.5;
  }
}
