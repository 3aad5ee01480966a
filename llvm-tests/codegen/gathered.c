// Loops that would have to scatter vectors, or to gather them for next to no arithmetic, run as they are: their
// elements move one by one either way. Elements with few others between them are loaded whole, and gathering pays for
// more arithmetic.

// RUN: %clang -O1 -march=x86-64-v4 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=polyrs<process-unprofitable>' -S %t.ll | FileCheck %s

double A[300000], B[300000];

// CHECK-LABEL: define {{.*}}@scattered
// CHECK: br i1 {{.*}}, !llvm.loop [[SCATTERED:![0-9]+]]
void scattered(void) {
  for (int i = 0; i < 500; i++)
    B[500 * i] = (A[i] * A[i] + 3.0) / (A[i] + 2.0);
}

// CHECK-LABEL: define {{.*}}@copied
// CHECK: br i1 {{.*}}, !llvm.loop [[COPIED:![0-9]+]]
void copied(void) {
  for (int i = 0; i < 500; i++)
    B[i] = A[500 * i];
}

// CHECK-LABEL: define {{.*}}@computed
// CHECK: br i1 {{.*}}, !llvm.loop [[COMPUTED:![0-9]+]]
void computed(void) {
  for (int i = 0; i < 500; i++)
    B[i] = (A[500 * i] * A[500 * i] + 3.0) / (A[500 * i] + 2.0);
}

// CHECK-LABEL: define {{.*}}@pairs
// CHECK: br i1 {{.*}}, !llvm.loop [[PAIRS:![0-9]+]]
void pairs(void) {
  for (int i = 0; i < 500; i++)
    B[i] = A[2 * i] + A[2 * i + 1];
}

// CHECK-DAG: [[SCATTERED]] = distinct !{[[SCATTERED]], [[NEW:![0-9]+]], {{![0-9]+}}, [[ONE:![0-9]+]], [[DISABLE:![0-9]+]]}
// CHECK-DAG: [[ONE]] = !{!"llvm.loop.vectorize.width", i32 1}
// CHECK-DAG: [[COPIED]] = distinct !{[[COPIED]], [[NEW]], {{![0-9]+}}, [[ONE]], [[DISABLE]]}
// CHECK-DAG: [[COMPUTED]] = distinct !{[[COMPUTED]], [[NEW]], {{![0-9]+}}, [[DISABLE]], [[REST:![0-9]+]]}
// CHECK-DAG: [[REST]] = !{!"llvm.loop.vectorize.followup_epilogue", {{.*}}
// CHECK-DAG: [[PAIRS]] = distinct !{[[PAIRS]], [[NEW]], {{![0-9]+}}, [[DISABLE]], [[REST]]}
