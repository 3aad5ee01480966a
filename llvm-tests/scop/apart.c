// Two loops that are regions each alone and none together. Looking for the run that starts
// with the first one and its preheader finds the same run again: it must be split, not tried for ever.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output %t.ll > %t.txt 2>&1
// RUN: FileCheck %s < %t.txt

// CHECK: scop kernel:0
// CHECK: scop kernel:1
void kernel(int n, int m, int k, unsigned A[][n], unsigned B[][m][k]) {
  for (long i = 0; i < n; i++)
    for (int j = 0; j < 1; j++)
      B[i + 1][i + j][i + 3] = A[j][i];
  for (long i = 0; i < n; i++)
    B[2 * i][i][i] += A[2 * i][i];
}
