// Sums that unroll-and-jam runs side by side stay apart: LLVM's vectorizers would gather what they are made of from
// eight rows, which takes longer than the sums. (With short integers, so that rows are no lanes.) Where they read
// neighbouring elements they may be one vector, and nothing of what keeps them apart is left behind the pipeline.

// RUN: %clang -O3 -march=znver5 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='default<O3>' -S %t.ll | FileCheck %s
// RUN: %opt -passes='default<O3>' -print-before=slp-vectorizer -filter-print-funcs=rows,columns,limited,wholes -disable-output %t.ll 2>&1 | FileCheck --check-prefix=BEFORE %s

#define N 1600
double A[N][N], x[N], t[N], s[N][4];
short whole[N];

// BEFORE-LABEL: define {{.*}}@rows(
// BEFORE-COUNT-8: call double @llvm.arithmetic.fence.f64(double {{.*}} !polyrs.apart
// BEFORE-NOT: arithmetic.fence
// CHECK-LABEL: define {{.*}}@rows(
// CHECK-NOT: llvm.masked.gather
// CHECK: phi double
// CHECK-NEXT: phi double
// CHECK-NEXT: phi double
// CHECK-NEXT: phi double
// CHECK-NEXT: phi double
// CHECK-NEXT: phi double
// CHECK-NEXT: phi double
// CHECK-NEXT: phi double
// CHECK-NOT: arithmetic.fence
// CHECK: ret void
void rows(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      t[i] += A[i][j] * whole[j];
}

// One sum alone is no matter.
// BEFORE-LABEL: define {{.*}}@columns(
// BEFORE-NOT: arithmetic.fence
// CHECK-LABEL: define {{.*}}@columns(
// CHECK: ret void
void columns(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      t[j] += A[i][j] * x[i];
}

// So do chains of whole numbers that no vectorizer may compute in parts.
// BEFORE-LABEL: define {{.*}}@limited(
// BEFORE-COUNT-8: call i64 asm "", "=r,0"(i64 {{.*}} !polyrs.apart
// BEFORE-NOT: polyrs.apart
// CHECK-LABEL: define {{.*}}@limited(
// CHECK-NOT: llvm.masked.gather
// CHECK-COUNT-8: phi i64
// CHECK-NOT: polyrs.apart
// CHECK: ret void
long C[N][N], u[N];
void limited(long limit) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      u[i] -= (C[i][j] < u[i] ? C[i][j] : u[i]) & limit * whole[j];
}

// Sums of whole numbers may be.
// BEFORE-LABEL: define {{.*}}@wholes(
// BEFORE-NOT: polyrs.apart
// CHECK-LABEL: define {{.*}}@wholes(
// CHECK: ret void
void wholes(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      u[i] += C[i][j] * whole[j];
}
