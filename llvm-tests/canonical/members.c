// Time loops that hand pointers around in memory (`t = s->a; s->a = s->b; s->b = t`), and numbers of planes that are
// members: they are kept in registers within the loop, which is unrolled until each step has its own. A member that
// something in the loop may touch stays in memory.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<polyrs-scops>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='polyrs<fatal-bugs;process-unprofitable>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=REMARK

typedef struct {
  int n;
  double *a, *b;
} Grid;

// CHECK-LABEL: scop members:0
// CHECK: read: {{.*}} -> Arr0[o0 = i1 + 1, o1 = i2]
// CHECK: must_write: {{.*}} -> Arr1[
// CHECK: must_write: {{.*}} -> Arr0[
// REMARK: loops reordered
void members(Grid *s, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < s->n - 1; i++)
      for (int j = 0; j < s->n; j++)
        s->b[i * s->n + j] = s->a[(i - 1) * s->n + j] + s->a[(i + 1) * s->n + j];
    double *last = s->a;
    s->a = s->b;
    s->b = last;
  }
}

double *now, *next;

// CHECK-LABEL: scop globals:0
// CHECK: must_write: {{.*}} -> Arr1[
// CHECK: must_write: {{.*}} -> Arr0[
void globals(int n, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 0; j < n; j++)
        next[i * n + j] = now[(i - 1) * n + j] + now[(i + 1) * n + j];
    double *last = now;
    now = next;
    next = last;
  }
}

typedef struct {
  double *data;
} Field;

// Two objects that may be the same one.
// CHECK-LABEL: scop of_two:0
// CHECK: must_write: {{.*}} -> Arr1[
// CHECK: must_write: {{.*}} -> Arr0[
void of_two(Field *a, Field *b, int n, int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 0; j < n; j++)
        b->data[i * n + j] = a->data[(i - 1) * n + j] + a->data[(i + 1) * n + j];
    double *last = a->data;
    a->data = b->data;
    b->data = last;
  }
}

typedef struct {
  long n;
  long *a, *b;
} Longs;

// What is written may be the number of elements of a row.
// CHECK-NOT: scop touched
// REMARK: not optimized
void touched(Longs *s, long steps) {
  for (long t = 0; t < steps; t++) {
    for (long i = 1; i < 99; i++)
      for (long j = 0; j < 100; j++)
        s->b[i * s->n + j] = s->a[(i - 1) * s->n + j] + s->a[(i + 1) * s->n + j];
    long *last = s->a;
    s->a = s->b;
    s->b = last;
  }
}
