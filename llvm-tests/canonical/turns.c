// Time loops whose pointers, or planes, take turns are unrolled until each step has its own: `t = a; a = b; b = t` by
// two, three pointers in a circle by three, `now = 1 - now` by two. Pointers that change places where the data says so,
// and loops around a single loop, are left alone.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<polyrs-scops>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='polyrs<fatal-bugs;process-unprofitable>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: scop swapped:0
// CHECK: array Arr0 memory f64 [*, p
// CHECK: array Arr1 memory f64 [*, p
// CHECK-NOT: array Arr2
// CHECK: read: {{.*}} -> Arr0[o0 = i1 + 1, o1 = i2]
// CHECK: must_write: {{.*}} -> Arr1[
// CHECK: must_write: {{.*}} -> Arr0[
// REMARK: loops reordered: skewed
void swapped(int steps, int n, double *restrict x, double *restrict y) {
  double *a = x, *b = y;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 0; j < n; j++)
        b[i * n + j] = a[(i - 1) * n + j] + a[(i + 1) * n + j];
    double *last = a;
    a = b;
    b = last;
  }
}

// CHECK-LABEL: scop circle:0
// CHECK: array Arr2 memory f64
// CHECK-NOT: array Arr3
void circle(int steps, int n, double *restrict x, double *restrict y, double *restrict z) {
  double *a = x, *b = y, *c = z;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 0; j < n; j++)
        c[i * n + j] = b[(i - 1) * n + j] - a[i * n + j];
    double *last = a;
    a = b;
    b = c;
    c = last;
  }
}

// CHECK-LABEL: scop planes:0
// CHECK: array Arr0 memory f64 [*, 100]
// CHECK: must_write: {{.*}} -> Arr0[o0 = i1 + 100, o1 = i2]
// CHECK: must_write: {{.*}} -> Arr0[o0 = i1, o1 = i2]
void planes(int steps, double (*a)[100][100]) {
  int now = 0;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < 99; i++)
      for (int j = 0; j < 100; j++)
        a[1 - now][i][j] = a[now][i - 1][j] + a[now][i + 1][j];
    now = 1 - now;
  }
}

// CHECK-LABEL: scop on_data:0
// CHECK-NOT: i2]
// REMARK: not optimized: the pointer accessed here changes inside the loops
void on_data(int steps, int n, const int *swap, double *restrict a, double *restrict b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 0; j < n; j++)
        b[i * n + j] = a[(i - 1) * n + j] + a[(i + 1) * n + j];
    if (swap[t]) {
      double *last = a;
      a = b;
      b = last;
    }
  }
}

// REMARK: not optimized: the pointer accessed here changes inside the loops
void around_one(int steps, int n, double *restrict a, double *restrict b) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = a[i - 1] + a[i + 1];
    double *last = a;
    a = b;
    b = last;
  }
}
