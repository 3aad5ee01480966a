// How iterations are dealt out, in libomp's numbers: static pieces of one length, dynamic, guided, runtime; how many
// threads to ask for. Without an option, pieces of a loop with unequal iterations are dealt out one by one, 64 of them.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<parallel;parallel-force;polyrs-tiling=false;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=UNEVEN
// RUN: %opt -passes='polyrs<parallel;parallel-force;scheduling=static;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=STATIC
// RUN: %opt -passes='polyrs<parallel;parallel-force;scheduling=static;scheduling-chunksize=8;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=PIECES
// RUN: %opt -passes='polyrs<parallel;parallel-force;scheduling=dynamic;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=DYNAMIC
// RUN: %opt -passes='polyrs<parallel;parallel-force;scheduling=guided;scheduling-chunksize=4;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=GUIDED
// RUN: %opt -passes='polyrs<parallel;parallel-force;scheduling=runtime;num-threads=3;fatal-bugs>,verify' %t.ll -S | FileCheck %s --check-prefix=RUNTIME

#define N 1000
double A[N][N];

// UNEVEN: [[SHARE:%.*]] = ashr i64 {{.*}}, 6
// UNEVEN: [[CHUNK:%.*]] = call i64 @llvm.smax.i64(i64 [[SHARE]], i64 1)
// UNEVEN: call void @__kmpc_dispatch_init_8(ptr @polyrs.place.loop, i32 {{.*}}, i32 1073741859, i64 {{.*}}, i64 {{.*}}, i64 1, i64 [[CHUNK]])
// UNEVEN: ask:
// UNEVEN: call i32 @__kmpc_dispatch_next_8(ptr @polyrs.place.loop, i32 {{.*}}, ptr %is_last, ptr %lower, ptr %upper, ptr %stride)
// UNEVEN: run:
// UNEVEN: call void @triangle.polyrs.body.0(

// STATIC: call void @__kmpc_for_static_init_8({{.*}}, i32 34, {{.*}}, i64 1)
// PIECES: call void @__kmpc_for_static_init_8({{.*}}, i32 33, {{.*}}, i64 8)
// PIECES: test:
// PIECES: call void @triangle.polyrs.body.0(
// PIECES: br label %test
// DYNAMIC: call void @__kmpc_dispatch_init_8({{.*}}, i32 1073741859, {{.*}}, i64 1)
// GUIDED: call void @__kmpc_dispatch_init_8({{.*}}, i32 1073741860, {{.*}}, i64 4)

// RUNTIME: [[ME:%.*]] = call i32 @__kmpc_global_thread_num(ptr @polyrs.place.fork)
// RUNTIME: call void @__kmpc_push_num_threads(ptr @polyrs.place.fork, i32 [[ME]], i32 3)
// RUNTIME: call void @__kmpc_dispatch_init_8({{.*}}, i32 1073741861, {{.*}}, i64 1)
void triangle(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      A[i][j] += 1.0;
}
