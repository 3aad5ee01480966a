// Where the best order for threads is not the best one for one thread, both are written, and the run-time check of the
// threads decides.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<parallel;fatal-bugs>,verify' %t.ll -S | FileCheck %s
// RUN: %opt -passes='polyrs<parallel;parallel-force;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=FORCED
// RUN: %opt -passes='polyrs<parallel;parallel-force;process-unprofitable;parallel-budget=100>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs %t.ll -S 2>&1 | FileCheck %s --check-prefix=SOME
// RUN: %opt -passes='polyrs<parallel;ast-budget=10000>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs %t.ll -S 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: %opt -passes='polyrs<parallel;parallel-force;process-unprofitable>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs %t.ll -S 2>&1 | FileCheck %s --check-prefix=NEITHER

// What a budget ends is told, and the loops found until then still run in threads.
// SOME: some loops are left to one thread: finding out would take more than the budget of the parallel stage allows (raise -polyrs-parallel-budget=)
// SOME: loops reordered: {{.*}}in threads
// SOME: kmpc_fork_call
// ALONE: there are no loops of their own for one thread: finding out would take more than the budget of the ast stage allows (raise -polyrs-ast-budget=)
// ALONE: loops reordered: {{.*}}in threads
// ALONE-NOT: polyrs.single:
// NEITHER-NOT: left to one thread
// NEITHER-NOT: loops of their own

// FORCED-NOT: polyrs.single:

#define N 2000
double A[N][N];

// CHECK: polyrs.check:
// CHECK: call i32 @omp_get_max_threads()
// CHECK: polyrs.start:
// CHECK: br i1 {{.*}}, label %polyrs.shared, label %polyrs.single
// CHECK: polyrs.single:
// CHECK-NOT: kmpc
// CHECK: br label %polyrs.joined
void lu(void) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < N; j++)
      for (int k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}
