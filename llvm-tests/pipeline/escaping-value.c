// A value made in the loops and used after them, by an instruction that is no phi of the exit block.

// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -polyrs-optimizer=none -mllvm -polyrs-fatal-bugs -Rpass=polyrs -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs<optimizer=none;fatal-bugs>,verify' -disable-output %t.ll

// CHECK: remark: loops reordered
double *move(double *restrict from, double *end, double *restrict to) {
  for (; from != end; ++from, ++to) {
    *to = *from;
    *from = 0;
  }
  return to;
}

// CHECK: remark: loops reordered
double *append(double *restrict from, double *end, double *restrict to, double **last) {
  for (int i = 0; i < 100; i++)
    from[i] = i;
  for (; from != end; ++from, ++to)
    *to = *from;
  *last = to;
  return to + 1;
}
