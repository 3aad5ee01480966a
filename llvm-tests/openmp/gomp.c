// libgomp: one call starts the threads, each asks for pieces until none is left; the end of a piece is exclusive.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<parallel;parallel-force;omp-backend=GNU;num-threads=2;fatal-bugs>,verify' %t.ll -S | FileCheck %s
// RUN: %opt -passes='polyrs<parallel;parallel-force;omp-backend=GNU;scheduling=dynamic;scheduling-chunksize=5;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=DYNAMIC
// RUN: %opt -passes='polyrs<parallel;parallel-force;omp-backend=GNU;scheduling=guided;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=GUIDED
// RUN: %opt -passes='polyrs<parallel;parallel-force;omp-backend=GNU;scheduling=runtime;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=RUNTIME

#define N 1000
double A[N], B[N];

// CHECK-NOT: kmpc
// CHECK: call void @GOMP_parallel(ptr @add.polyrs.thread.0, ptr %polyrs.shared, i32 2, i32 0)
// CHECK: define internal void @add.polyrs.thread.0(ptr %0)
// CHECK: [[GOT:%.*]] = call i8 @GOMP_loop_static_start(i64 {{.*}}, i64 {{.*}}, i64 1, i64 0, ptr %begin, ptr %end)
// CHECK: icmp ne i8 [[GOT]], 0
// CHECK: run:
// CHECK: call void @add.polyrs.body.0(
// CHECK: call i8 @GOMP_loop_static_next(ptr %begin, ptr %end)
// CHECK: done:
// CHECK: call void @GOMP_loop_end_nowait()

// DYNAMIC: call void @GOMP_parallel({{.*}}, i32 0, i32 0)
// DYNAMIC: call i8 @GOMP_loop_dynamic_start(i64 {{.*}}, i64 {{.*}}, i64 1, i64 5, ptr %begin, ptr %end)
// DYNAMIC: call i8 @GOMP_loop_dynamic_next(
// GUIDED: call i8 @GOMP_loop_guided_start(i64 {{.*}}, i64 {{.*}}, i64 1, i64 1, ptr %begin, ptr %end)
// RUNTIME: call i8 @GOMP_loop_runtime_start(i64 {{.*}}, i64 {{.*}}, i64 1, ptr %begin, ptr %end)
void add(void) {
  for (int i = 0; i < N; i++)
    A[i] += B[i];
}
