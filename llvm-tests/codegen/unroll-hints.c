// LLVM is asked not to unroll loops around loops, nor a body that already holds several instances; a plain innermost loop is its own affair.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable>' -S %t.ll | FileCheck %s

double A[1024][1024], B[1024][1024], C[1024][1024];

// The three tile loops, the two point loops and the jammed innermost loop.
// CHECK-LABEL: define {{.*}}@jammed
// CHECK: br i1 {{.*}}, !llvm.loop [[INNER:![0-9]+]]
// CHECK: br i1 {{.*}}, !llvm.loop [[OUTER:![0-9]+]]
void jammed(void) {
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 1024; j++)
      for (int k = 0; k < 1024; k++)
        C[i][j] += A[i][k] * B[k][j];
}

// CHECK-LABEL: define {{.*}}@plain
// CHECK: br i1 {{.*}}, !llvm.loop [[PLAIN:![0-9]+]]
void plain(double *restrict x, double *restrict y) {
  for (int i = 0; i < 1000; i++)
    x[i] = y[i] + 1;
}

// CHECK-DAG: [[INNER]] = distinct !{[[INNER]], [[PARALLEL:![0-9]+]], [[DISABLE:![0-9]+]]}
// CHECK-DAG: [[OUTER]] = distinct !{[[OUTER]], [[DISABLE]]}
// CHECK-DAG: [[DISABLE]] = !{!"llvm.loop.unroll.disable"}
// CHECK-DAG: [[PLAIN]] = distinct !{[[PLAIN]], [[OTHER:![0-9]+]]}
// CHECK-DAG: [[OTHER]] = !{!"llvm.loop.parallel_accesses", {{.*}}}
