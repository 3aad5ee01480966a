// What a branch on data decides is a part of the block in front of it, and has its values: nothing is read again behind
// the branch, where vectors would read it under a mask.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<print-after=scops>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -gline-tables-only -mllvm -polyrs-process-unprofitable \
// RUN:   -Rpass=loop-vectorize -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck --check-prefix=VECTORS %s

// CHECK-LABEL: scop places:0
// CHECK: stmt Stmt1
// CHECK: read: {{.*}} Arr0
// CHECK-NEXT: read: {{.*}} Arr0
// CHECK-NEXT: read: {{.*}} Arr1
// CHECK-NEXT: may_write: {{.*}} Arr1
// VECTORS: remark: vectorized loop (vectorization width: 8
// VECTORS: in-arms.c:[[#@LINE+4]]:5: remark: vectorized loop (vectorization width: 8
void places(const float *restrict a, int *restrict place, int n) {
  for (int i = 0; i < n; i++) {
    place[i] = 0;
    for (int j = 0; j < n; j++)
      if (a[j] > a[i] || (a[j] == a[i] && j < i))
        place[i] += 1;
  }
}
