// What the source says of its loops. A hint that asks for a transformation of one very loop pins it: the nest stays,
// and the hint with it. Hints that forbid something hold for the new loops.

// RUN: %clang -O3 -march=x86-64-v3 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable>,verify' -pass-remarks-missed=polyrs -S %t.ll -o %t.out.ll 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.out.ll
// RUN: sed -e 's/!"llvm.loop.unroll.count", i32 4/!"llvm.loop.disable_nonforced"/' %t.ll > %t.nonforced.ll
// RUN: %opt -passes='polyrs<process-unprofitable>,verify' -pass-remarks-missed=polyrs -disable-output %t.nonforced.ll 2>&1 | FileCheck %s --check-prefix=FORCED

// REMARK: a hint in the source says what is to be done with this loop (unroll_count)
// REMARK: a hint in the source says what is to be done with this loop (vectorize_width)
// REMARK: a hint in the source says what is to be done with this loop (distribute(enable))
// REMARK-NOT: a hint in the source
// FORCED: a hint in the source says what is to be done with this loop (llvm.loop.disable_nonforced)

#define N 600
double A[N][N], B[N][N], C[N][N];

// CHECK-LABEL: define {{.*}}@counted
// CHECK-NOT: polyrs.
// CHECK: br {{.*}}, !llvm.loop [[COUNT:![0-9]+]]
// CHECK: {{^[}]$}}
void counted(void) {
  for (int j = 0; j < N; j++)
#pragma clang loop unroll_count(4)
    for (int i = 0; i < N; i++)
      A[i][j] = B[i][j] + 1;
}

// CHECK-LABEL: define {{.*}}@wide
// CHECK-NOT: polyrs.
// CHECK: br {{.*}}, !llvm.loop [[WIDE:![0-9]+]]
// CHECK: {{^[}]$}}
void wide(void) {
  for (int j = 0; j < N; j++)
#pragma clang loop vectorize_width(8)
    for (int i = 0; i < N; i++)
      A[i][j] = B[i][j] + 2;
}

// CHECK-LABEL: define {{.*}}@apart
// CHECK-NOT: polyrs.
// CHECK: br {{.*}}, !llvm.loop [[APART:![0-9]+]]
// CHECK: {{^[}]$}}
void apart(void) {
#pragma clang loop distribute(enable)
  for (int i = 0; i < N; i++) {
    A[0][i] = B[0][i] + 2;
    C[0][i] = B[1][i] + 2;
  }
}

// A product without vectors is not packed: these kernels are vectors.
// CHECK-LABEL: define {{.*}}@narrow
// CHECK-NOT: <{{[0-9]+}} x double>
// CHECK: polyrs.loop
// CHECK: br i1 {{.*}}, !llvm.loop [[NARROW:![0-9]+]]
// CHECK: {{^[}]$}}
void narrow(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
#pragma clang loop vectorize(disable) interleave(disable)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}

// CHECK-LABEL: define {{.*}}@rolled
// CHECK: polyrs.loop
// CHECK: br i1 {{.*}}, !llvm.loop [[ROLLED:![0-9]+]]
// CHECK: {{^[}]$}}
void rolled(double *restrict x, double *restrict y) {
#pragma clang loop unroll(disable)
  for (int i = 0; i < 6; i++)
    x[i] = y[i] + 1;
}

// CHECK-LABEL: define {{.*}}@without
// CHECK: polyrs.loop
// CHECK: br i1 {{.*}}, !llvm.loop [[WITHOUT:![0-9]+]]
// CHECK: {{^[}]$}}
void without(double *restrict x, double *restrict y) {
  for (int i = 0; i < 6; i++)
    x[i] = y[i] + 2;
}

// CHECK-DAG: [[COUNT]] = distinct !{[[COUNT]], {{.*}}[[FOUR:![0-9]+]]
// CHECK-DAG: [[FOUR]] = !{!"llvm.loop.unroll.count", i32 4}
// CHECK-DAG: [[WIDE]] = distinct !{[[WIDE]], {{![0-9]+}}, [[EIGHT:![0-9]+]], {{.*}}}
// CHECK-DAG: [[EIGHT]] = !{!"llvm.loop.vectorize.width", i32 8}
// CHECK-DAG: [[APART]] = distinct !{[[APART]], {{.*}}[[ENABLE:![0-9]+]]}
// CHECK-DAG: [[ENABLE]] = !{!"llvm.loop.distribute.enable", i1 true}
// CHECK-DAG: [[NEW:![0-9]+]] = !{!"polyrs.loop"}
// CHECK-DAG: [[NARROW]] = distinct !{[[NARROW]], [[NEW]], {{.*}}[[ONE:![0-9]+]], [[INTER:![0-9]+]], [[DISABLE:![0-9]+]]}
// CHECK-DAG: [[ONE]] = !{!"llvm.loop.vectorize.width", i32 1}
// CHECK-DAG: [[INTER]] = !{!"llvm.loop.interleave.count", i32 1}
// CHECK-DAG: [[DISABLE]] = !{!"llvm.loop.unroll.disable"}
// CHECK-DAG: [[ROLLED]] = distinct !{[[ROLLED]], [[NEW]], {{.*}}[[DISABLE]]
// CHECK-DAG: [[WITHOUT]] = distinct !{[[WITHOUT]], [[NEW]], [[PARALLEL:![0-9]+]]}
// CHECK-DAG: [[PARALLEL]] = !{!"llvm.loop.parallel_accesses", {{.*}}}
