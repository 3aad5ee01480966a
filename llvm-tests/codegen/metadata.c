// Arrays that do not overlap say so; the innermost loop without dependences carries a list of its accesses; a loop with
// a dependence has none, so that nobody reorders its sums.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable;polyrs-tiling=false;fatal-bugs>,verify' %t.ll -S -o %t.out.ll
// RUN: FileCheck %s < %t.out.ll

#define N 300
double A[N], B[N], x[1];

// CHECK-LABEL: define {{.*}} @parallel
// CHECK: load double, ptr {{.*}}, !alias.scope [[B:![0-9]+]], !noalias [[A:![0-9]+]], !llvm.access.group [[G:![0-9]+]]
// CHECK: store double {{.*}}, !alias.scope [[A]], !noalias [[B]], !llvm.access.group [[G]]
// CHECK: br i1 {{.*}}, !llvm.loop [[L:![0-9]+]]
void parallel(void) {
  for (int i = 0; i < N; i++)
    A[i] = B[i] + 1.0;
}

// CHECK-LABEL: define {{.*}} @sum
// CHECK: polyrs.loop:
// CHECK-NOT: llvm.access.group
// CHECK: br i1 {{.*}}, !llvm.loop [[SUM:![0-9]+]]
// CHECK: {{^[}]$}}
void sum(void) {
  for (int i = 0; i < N; i++)
    x[0] += B[i];
}

// One array: no scopes.
// CHECK-LABEL: define {{.*}} @alone
// CHECK-NOT: alias.scope
// CHECK: {{^[}]$}}
void alone(void) {
  for (int i = 0; i < N; i++)
    A[i] = A[i] * 2.0;
}

// CHECK-DAG: [[G]] = distinct !{}
// CHECK-DAG: [[L]] = distinct !{[[L]], [[NEW:![0-9]+]], [[P:![0-9]+]], [[U:![0-9]+]], [[REST:![0-9]+]]}
// CHECK-DAG: [[SUM]] = distinct !{[[SUM]], [[NEW]], [[W:![0-9]+]], [[U]]}
// CHECK-DAG: [[NEW]] = !{!"polyrs.loop"}
// CHECK-DAG: [[U]] = !{!"llvm.loop.unroll.disable"}
// CHECK-DAG: [[REST]] = !{!"llvm.loop.vectorize.followup_epilogue", [[NEW]], {{.*}}}
// CHECK-DAG: [[W]] = !{!"llvm.loop.vectorize.width", i32 1}
// CHECK-DAG: [[P]] = !{!"llvm.loop.parallel_accesses", [[G]]}
