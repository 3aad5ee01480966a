// Elements that the program says lie anywhere are updated by accesses that claim no more, also where the copies that
// threads collected their updates in are put together.

// REQUIRES: libomp
// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<parallel;parallel-force;fatal-bugs;optimizer=none>,verify' %t.ll -S -o %t.out.ll
// RUN: FileCheck %s < %t.out.ll

typedef long anywhere __attribute__((aligned(1)));
typedef long usual;

// CHECK-LABEL: define {{.*}}void @one(
// CHECK: polyrs.apply{{[0-9]*}}:
// CHECK: load i64, ptr {{.*}}, align 1
// CHECK: store i64 {{.*}}, align 1
void one(int n, anywhere *restrict to, const usual *restrict from) {
  for (int i = 0; i < n; i++)
    to[3] += from[i];
}

// CHECK-LABEL: define {{.*}}void @all(
// CHECK: polyrs.gather{{[0-9]*}}:
// CHECK: load i64, ptr {{.*}}, align 1
// CHECK: load i64, ptr {{.*}}, align 8
// CHECK: store i64 {{.*}}, align 1
void all(int n, anywhere *restrict to, const usual (*restrict from)[40]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 40; j++)
      to[j] += from[i][j];
}

// CHECK-LABEL: define {{.*}}void @usual_one(
// CHECK: polyrs.apply{{[0-9]*}}:
// CHECK: load i64, ptr {{.*}}, align 8
// CHECK: store i64 {{.*}}, align 8
void usual_one(int n, usual *restrict to, const usual *restrict from) {
  for (int i = 0; i < n; i++)
    to[3] += from[i];
}
