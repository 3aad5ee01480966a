// A loop whose iterations do the same each: every thread runs one piece of it. The loop is a function of its own that
// gets what it needs in one struct; its innermost loop still says that its accesses are independent.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<parallel;parallel-force;process-unprofitable;tiling=false;fatal-bugs>,verify' %t.ll -S -o %t.out.ll
// RUN: FileCheck %s < %t.out.ll

// CHECK-DAG: @polyrs.place = private constant [23 x i8] c";unknown;unknown;0;0;;\00"
// CHECK-DAG: @polyrs.place.fork = private constant { i32, i32, i32, i32, ptr } { i32 0, i32 2, i32 0, i32 22, ptr @polyrs.place }
// CHECK-DAG: @polyrs.place.loop = private constant { i32, i32, i32, i32, ptr } { i32 0, i32 514, i32 0, i32 22, ptr @polyrs.place }

// CHECK-LABEL: define {{.*}}void @scale(
// CHECK: %polyrs.shared = alloca { i64, i64, { i32, ptr, ptr, double } }
// CHECK: polyrs.threads:
// CHECK: store i64 {{.*}}, ptr %polyrs.shared
// CHECK: call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr @polyrs.place.fork, i32 1, ptr @scale.polyrs.thread.0, ptr %polyrs.shared)
// CHECK: {{^[}]$}}
void scale(int n, int m, double A[n][m], double B[n][m], double factor) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j] = B[i][j] * factor;
}

// CHECK: define internal void @scale.polyrs.body.0(i64 %first, i64 %end, ptr %live) [[ATTRS:#[0-9]+]]
// CHECK: icmp slt i64 %first, %end
// CHECK: load double, {{.*}} !alias.scope {{.*}} !noalias {{.*}} !llvm.access.group [[GROUP:![0-9]+]]
// CHECK: br i1 {{.*}} !llvm.loop [[LOOP:![0-9]+]]
// CHECK: {{^[}]$}}

// CHECK: define internal void @scale.polyrs.thread.0(ptr %0, ptr %1, ptr %2) [[ATTRS]]
// CHECK: [[ME:%.*]] = load i32, ptr %0
// CHECK: call void @__kmpc_for_static_init_8(ptr @polyrs.place.loop, i32 [[ME]], i32 34, ptr %is_last, ptr %lower, ptr %upper, ptr %stride, i64 1, i64 1)
// CHECK: call i64 @llvm.smin.i64(
// CHECK: call void @scale.polyrs.body.0(
// CHECK: call void @__kmpc_for_static_fini(ptr @polyrs.place.loop, i32 [[ME]])
// CHECK: {{^[}]$}}

// CHECK: attributes [[ATTRS]] = {{.*}} "polyrs-done"
// CHECK-DAG: [[LOOP]] = distinct !{[[LOOP]], {{![0-9]+}}, [[PARALLEL:![0-9]+]]
// CHECK-DAG: [[PARALLEL]] = !{!"llvm.loop.parallel_accesses", [[GROUP]]}
