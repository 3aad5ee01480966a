// Whether threads pay is decided by the work: when compiling where it is known, else by the parameters before the
// loops. Where the new code gains by threads alone, the original loops run when they do not pay.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -gline-tables-only %s -o %t.ll
// RUN: %opt -passes='polyrs<parallel;fatal-bugs>,verify' -pass-remarks-missed=polyrs -pass-remarks=polyrs %t.ll -S -o %t.out.ll 2>%t.remarks
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: FileCheck %s < %t.out.ll
// RUN: %opt -passes='polyrs<parallel;num-threads=1;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=ONE
// RUN: %opt -passes='polyrs<parallel;num-threads=4;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=FOUR

// ONE-NOT: call void {{.*}}@__kmpc_fork_call

double A[2000], B[2000], C[300][300];

// REMARK: :[[#@LINE+4]]:{{.*}} loops run in one thread: they do too little work for threads to pay
// CHECK-LABEL: define {{.*}} @little(
// CHECK-NOT: omp_get_max_threads
void little(void) {
  for (int i = 0; i < 2000; i++)
    A[i] += B[i];
}

// REMARK: :[[#@LINE+9]]:{{.*}} loops run in threads, in their order, if a run-time check allows it
// CHECK-LABEL: define {{.*}} @much(
// CHECK: polyrs.check:
// CHECK: [[THREADS:%.*]] = call i32 @omp_get_max_threads()
// CHECK: [[SEVERAL:%.*]] = icmp sgt i32 [[THREADS]], 1
// CHECK: br i1 [[SEVERAL]], label %polyrs.start, label
// FOUR-LABEL: define {{.*}} @much(
// FOUR-NOT: omp_get_max_threads
void much(void) {
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 300; j++)
      C[i][j] = C[i][j] * 0.5 + 1.0;
}

// CHECK-LABEL: define {{.*}} @depends(
// CHECK: polyrs.check:
// CHECK: sitofp i64 {{.*}} to double
// CHECK: fmul double
// CHECK: [[ENOUGH:%.*]] = fcmp oge double {{.*}}, 4.000000e+04
// CHECK: icmp sgt i32 {{.*}}, 1
// CHECK: [[PAYS:%.*]] = and i1 [[ENOUGH]],
// CHECK: br i1 [[PAYS]], label %polyrs.start, label
void depends(int n, int m, double X[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      X[i][j] = X[i][j] * 0.5 + 1.0;
}
