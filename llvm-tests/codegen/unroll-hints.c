// Only loops that may disappear by it are to be unrolled: short innermost ones. A loop whose iterations wait for a sum
// in a fixed order is not even looked at for vectors; an integer sum may be reordered, so it is. What is left of a loop
// of known length behind its vectors may be unrolled as a whole.

// RUN: %clang -O3 -march=x86-64-v3 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable;pattern-matching-based-opts=false>' -S %t.ll | FileCheck %s

double A[1024][1024], B[1024][1024], C[1024][1024];
int sum[1];

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

// CHECK-LABEL: define {{.*}}@short_one
// CHECK: br i1 {{.*}}, !llvm.loop [[SHORT:![0-9]+]]
void short_one(double *restrict x, double *restrict y) {
  for (int i = 0; i < 6; i++)
    x[i] = y[i] + 1;
}

// CHECK-LABEL: define {{.*}}@recurrence
// CHECK: br i1 {{.*}}, !llvm.loop [[CHAIN:![0-9]+]]
void recurrence(double *restrict x, double *restrict y) {
  for (int i = 1; i < 1000; i++)
    x[i] = x[i - 1] * 0.5 + y[i];
}

// CHECK-LABEL: define {{.*}}@integer_sum
// CHECK: br i1 {{.*}}, !llvm.loop [[SUM:![0-9]+]]
void integer_sum(int *restrict y) {
  for (int i = 0; i < 1000; i++)
    sum[0] += y[i];
}

// CHECK-DAG: [[INNER]] = distinct !{[[INNER]], [[NEW:![0-9]+]], [[PARALLEL:![0-9]+]], [[DISABLE:![0-9]+]], [[REST:![0-9]+]]}
// CHECK-DAG: [[OUTER]] = distinct !{[[OUTER]], [[NEW]], [[DISABLE]]}
// CHECK-DAG: [[NEW]] = !{!"polyrs.loop"}
// CHECK-DAG: [[DISABLE]] = !{!"llvm.loop.unroll.disable"}
// CHECK-DAG: [[REST]] = !{!"llvm.loop.vectorize.followup_epilogue", [[NEW]], [[DONE:![0-9]+]], [[WHOLE:![0-9]+]]}
// CHECK-DAG: [[DONE]] = !{!"llvm.loop.isvectorized", i32 1}
// CHECK-DAG: [[WHOLE]] = !{!"llvm.loop.unroll.runtime.disable"}
// CHECK-DAG: [[PLAIN]] = distinct !{[[PLAIN]], [[NEW]], [[ALONE:![0-9]+]], [[DISABLE]], [[REST]]}
// CHECK-DAG: [[ALONE]] = !{!"llvm.loop.parallel_accesses", {{.*}}}
// CHECK-DAG: [[SHORT]] = distinct !{[[SHORT]], [[NEW]], [[OTHER:![0-9]+]]}
// CHECK-DAG: [[OTHER]] = !{!"llvm.loop.parallel_accesses", {{.*}}}
// CHECK-DAG: [[SUM]] = distinct !{[[SUM]], [[NEW]], [[DISABLE]], [[REST]]}
// CHECK-DAG: [[CHAIN]] = distinct !{[[CHAIN]], [[NEW]], [[WIDTH:![0-9]+]], [[DISABLE]]}
// CHECK-DAG: [[WIDTH]] = !{!"llvm.loop.vectorize.width", i32 1}
