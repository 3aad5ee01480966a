// Code that calls a run-time library promises no longer what was inferred of the loops it stands for: that only memory
// behind arguments is touched, that nothing is freed and nobody waited for. Other functions keep their promises.

// RUN: %clang -O2 -fno-vectorize -fno-unroll-loops -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s --check-prefix=BEFORE < %t.ll
// RUN: %opt -passes='polyrs<parallel;parallel-force;fatal-bugs>,verify' %t.ll -S | FileCheck %s
// RUN: %opt -passes='polyrs<process-unprofitable;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=ALONE

// BEFORE: define {{.*}}@scaled({{.*}} #[[BOTH:[0-9]+]] {
// BEFORE: define {{.*}}@first({{.*}} #[[OTHER:[0-9]+]] {
// BEFORE: attributes #[[BOTH]] = { {{.*}}nofree {{.*}}nosync {{.*}}memory(argmem: readwrite)
// BEFORE: attributes #[[OTHER]] = { {{.*}}nofree {{.*}}nosync {{.*}}memory(argmem: read)

// CHECK: define {{.*}}@scaled({{.*}} #[[OWN:[0-9]+]] {
// CHECK: call void {{.*}}@__kmpc_fork_call(
// CHECK: define {{.*}}@first({{.*}} #[[OTHER:[0-9]+]] {
// CHECK: attributes #[[OWN]] = { norecurse nounwind uwtable
// CHECK: attributes #[[OTHER]] = { {{.*}}nofree {{.*}}nosync {{.*}}memory(argmem: read)

// ALONE: define {{.*}}@scaled({{.*}} #[[OWN:[0-9]+]] {
// ALONE: attributes #[[OWN]] = { {{.*}}nofree {{.*}}nosync {{.*}}memory(argmem: readwrite)

void scaled(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++)
    y[i] += x[i] * x[i];
}

double first(const double *x) { return x[0]; }
