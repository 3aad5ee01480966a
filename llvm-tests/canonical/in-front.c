// What an outer loop does in front of a loop inside is looked at as well: here that is its only access to memory.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -g -S -emit-llvm %s -o %t.ll
// RUN: opt -passes=sroa,early-cse,simplifycfg -S %t.ll -o %t.ssa.ll
// RUN: %opt -passes='polyrs<report>' -pass-remarks-missed=polyrs -disable-output %t.ssa.ll 2>&1 | FileCheck %s

// CHECK: [[@LINE+5]]:3: order of the loops kept: how often the loop in line [[@LINE+7]] runs is found out by what it computes
// CHECK: [[@LINE+13]]:3: loops not optimized: nothing here writes to memory
// CHECK: 1 functions with a loop over memory
unsigned in_front(int n, unsigned *a) {
  unsigned c = 1;
  for (int i = 0; i < n; i++) {
    a[i] = c;
    while (c & 1) c = 3 * c >> 1;
    c++;
  }
  return c;
}
unsigned without_memory(int n) {
  unsigned c = 1;
  for (int i = 0; i < n; i++) {
    while (c & 1) c = 3 * c >> 1;
    c++;
  }
  return c;
}
