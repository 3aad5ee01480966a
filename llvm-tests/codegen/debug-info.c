// With -g the new code is valid, loops and copied instructions have source positions.

// RUN: %clang -O1 -g -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable;fatal-bugs>,verify' %t.ll -S -o %t.out.ll
// RUN: FileCheck %s < %t.out.ll
// RUN: %clang -O3 -g -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs -c %s -o %t.o

// CHECK-LABEL: define {{.*}}void @columns
// CHECK: polyrs.loop
// CHECK: br i1 {{.*}}, !dbg

#define N 300
double A[N][N], B[N][N];

static inline double twice(double v) { return v * 2.0; }

void columns(int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double v = twice(B[i][j]);
      A[i][j] = v + 1.0;
    }
}
