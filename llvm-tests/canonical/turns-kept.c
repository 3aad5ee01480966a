// A time loop whose pointers take turns, and for which no new code is written, stays as it was, not unrolled, where
// other loops of the function are rewritten: the function is looked at again without. So do members that it hands
// around.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs<fatal-bugs>' -pass-remarks=polyrs -pass-remarks-missed=polyrs -S %t.ll 2>&1 | FileCheck %s

void use(void);

// CHECK: remark: {{.*}}order of the loops kept
// CHECK: remark: {{.*}}loops reordered
// CHECK-LABEL: define {{.*}}void @once(
// CHECK: fsub double
// CHECK-NOT: fsub double
// CHECK: ret void
void once(int steps, int n, double x[restrict 40][40], double y[restrict 40][40], double *restrict z) {
  double (*a)[40] = x, (*b)[40] = y;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < 39; i++)
      for (int j = 1; j < 39; j++)
        b[i][j] = (1.0 - a[i][j - 1]) * a[i][j + 1];
    double (*last)[40] = a;
    a = b;
    b = last;
  }
  use();
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      z[i * n + j] += 1.5;
}

typedef struct {
  double (*a)[40], (*b)[40];
} Pair;

// CHECK-LABEL: define {{.*}}void @members(
// CHECK: fsub double
// CHECK-NOT: fsub double
// CHECK: ret void
void members(int steps, int n, Pair *p, double *restrict z) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < 39; i++)
      for (int j = 1; j < 39; j++)
        p->b[i][j] = (1.0 - p->a[i][j - 1]) * p->a[i][j + 1];
    double (*last)[40] = p->a;
    p->a = p->b;
    p->b = last;
  }
  use();
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      z[i * n + j] += 1.5;
}
