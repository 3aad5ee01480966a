// An element that the innermost loop keeps updating is loaded before the loop and stored behind it, where the loops'
// bounds tell it from everything else the loop touches.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable;optimizer=none;fatal-bugs>,verify' %t.ll -S -o %t.out.ll
// RUN: FileCheck %s < %t.out.ll

#define N 300
double A[N][N], x[N], s[4];

// k < j: A[i][j] is not A[i][k], nor A[j][k], as j <= i and k < j.
// CHECK-LABEL: define {{.*}} @below
// CHECK: load double, ptr [[AT:%[0-9]+]]
// CHECK: phi double
// CHECK-NOT: store double
// CHECK: {{^}}polyrs.exit:
// CHECK-NEXT: store double {{.*}}, ptr [[AT]]
void below(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[j][k];
}

// k <= j: the last iteration reads what the loop updates.
// CHECK-LABEL: define {{.*}} @meets
// CHECK-NOT: phi double
// CHECK: {{^[}]$}}
void meets(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k <= j; k++)
        A[i][j] -= A[i][k] * 0.5;
}

// The element moves with the loop.
// CHECK-LABEL: define {{.*}} @moves
// CHECK-NOT: phi double
// CHECK: {{^[}]$}}
void moves(void) {
  for (int i = 1; i < N; i++)
    x[i] += x[i - 1];
}

// The element's address is a constant, so that no operand of the access has to be replaced by a value of the new loops.
// CHECK-LABEL: define {{.*}} @fixed
// CHECK: polyrs.start:
// CHECK: load double, ptr getelementptr {{.*}}@s
// CHECK: phi double
// CHECK-NOT: @s
// CHECK: {{^}}polyrs.exit:
// CHECK-NOT: {{^}}polyrs
// CHECK: store double {{.*}}, ptr getelementptr {{.*}}@s
// CHECK-NOT: @s
// CHECK: {{^[}]$}}
void fixed(void) {
  for (int j = 0; j < N; j++)
    s[1] = s[1] * 0.5 + x[j];
}

// A sum in a local variable that lives in C[i][j]: two loads and no store per iteration of its loop.
// CHECK-LABEL: define {{.*}} @mapped
// CHECK: [[SUM:%[a-z0-9.]+]] = phi double
// CHECK-NOT: {{load|store}} double
// CHECK: [[LEFT:%[0-9]+]] = load double
// CHECK-NEXT: [[RIGHT:%[0-9]+]] = load double
// CHECK-NEXT: call double @llvm.fmuladd.f64(double [[LEFT]], double [[RIGHT]], double [[SUM]])
// CHECK-NOT: {{load|store}} double
// CHECK: br i1
// CHECK: {{^}}polyrs.exit
// CHECK-NEXT: store double
// CHECK: {{^[}]$}}
double B[N][N], C[N][N];
void mapped(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++)
        sum += A[i][k] * B[k][j];
      C[i][j] = sum;
    }
}
