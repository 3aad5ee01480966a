// The new loops are executed on paper for small sizes and compared with the schedule; sizes that are too large are
// counted, not passed.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs<verify-ast;process-unprofitable;fatal-bugs>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='polyrs<process-unprofitable>' -disable-output %t.ll 2>&1 | count 0

// CHECK: loops of any_size:0: {{[1-9][0-9]*}} vectors of parameter values agree, 0 too large to run
void any_size(int n, double a[restrict n][n], double b[restrict n][n]) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[i][j] = 2.0 * b[i][j];
}

// CHECK: loops of one_size:0: 0 vectors of parameter values agree, 1 too large to run
void one_size(double a[restrict 1000][1000], double b[restrict 1000][1000]) {
  for (int j = 0; j < 1000; j++)
    for (int i = 0; i < 1000; i++)
      a[i][j] = 2.0 * b[i][j];
}
