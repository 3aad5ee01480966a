// Two sizes in a struct that is passed in one register are two parameters; the register as a whole is none.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -disable-output 2>&1 | FileCheck %s

struct mat {
  int rows, cols;
  double *data;
};

// CHECK-LABEL: scop scale:0
// CHECK-NEXT: params: p0, p1{{$}}
// CHECK-NOT: <= p0 {{.*}} 1 <= p1 {{.*}}{{$}}
// CHECK: array Arr0 memory f64 [*, p0]
// CHECK: domain: [p0, p1] -> { Stmt0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
void scale(struct mat a) {
  for (int j = 0; j < a.cols; j++)
    for (int i = 0; i < a.rows; i++)
      a.data[i * a.cols + j] *= 2;
}
