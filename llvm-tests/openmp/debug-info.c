// With -g the functions are valid: the loop's own function has a subprogram of its own and positions in it, also where
// the original comes from an inlined function; the calls have positions.

// RUN: %clang -O1 -g -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<parallel;fatal-bugs>,verify' %t.ll -S -o %t.out.ll
// RUN: FileCheck %s < %t.out.ll
// RUN: %clang -O3 -g -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -mllvm -polyrs-fatal-bugs -c %s -o %t.o
// RUN: %clang -O3 -g -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-position=before-vectorizer -mllvm -polyrs-parallel-force -mllvm -polyrs-fatal-bugs -c %s -o %t.o

#define N 300
double A[N][N], B[N][N];

static inline double twice(double v) { return v * 2.0; }

// CHECK-LABEL: define {{.*}}void @columns
// CHECK: call void @columns.polyrs.body.0({{.*}}), !dbg
// CHECK: call void {{.*}}@__kmpc_fork_call({{.*}}), !dbg
void columns(int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double v = twice(B[i][j]);
      A[i][j] = v + 1.0;
    }
}

// CHECK: define internal void @columns.polyrs.body.0({{.*}} !dbg [[BODY:![0-9]+]]
// CHECK: fmul double {{.*}} !dbg [[INLINED:![0-9]+]]
// CHECK: br i1 {{.*}} !dbg
// CHECK: [[BODY]] = distinct !DISubprogram(name: "columns.polyrs.body.0", linkageName: "columns.polyrs.body.0"
// CHECK: [[INLINED]] = !DILocation({{.*}}inlinedAt:
