// Subscripts that are data reach any element. Where the array may overlap with another one that matters, and nothing
// bounds what is touched, no test could tell them apart.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: scop gathered:0
// CHECK-DAG: read: {{.*}} Stmt0[i0] -> Arr{{.}}[o0 = i0] }
// CHECK-DAG: read: {{.*}} Stmt0[i0] -> Arr{{.}}[o0] }
// CHECK: must_write: {{.*}} Stmt0[i0] -> Arr{{.}}[o0 = i0] }
void gathered(int n, double *restrict y, const double *restrict x, const int *restrict at) {
  for (int i = 0; i < n; i++)
    y[i] = x[at[i]];
}

// CHECK-LABEL: scop scattered:0
// CHECK-NOT: must_write
// CHECK: may_write: {{.*}} Stmt0[i0] -> Arr{{.}}[o0, o1] : {{.*}}0 <= o1 < {{.*}} }
// CHECK-NOT: must_write
void scattered(int n, int m, double y[restrict][m], const double x[restrict][m], const int *restrict at) {
  for (int i = 0; i < n; i++)
    y[at[i]][3] = y[i][2] + x[i][1];
}

// CHECK-LABEL: scop table:0
// CHECK: read: {{.*}} Stmt0[i0] -> Arr{{.}}[o0] : 0 <= o0 <= 255 }
void table(int n, float *y, const float *t, const unsigned char *at) {
  for (int i = 0; i < n; i++)
    y[i] = t[at[i]];
}

// The element is known in the loop over j, which is a region of its own.
// CHECK-LABEL: scop rows:0
// CHECK: read: {{.*}} Stmt0[i0] -> Arr{{.}}[o0 = p{{.}} + i0] }
void rows(int n, double *restrict y, const double *restrict x, const int *restrict at) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 100; j++)
      y[i * 100 + j] = x[at[i] + j];
}

// CHECK: indirect.c:[[#@LINE+3]]:{{.*}}not optimized: this subscript is not an affine function
void overlapping(int n, double *y, const double *x, const int *at) {
  for (int i = 0; i < n; i++)
    y[i] = x[at[i]];
}

// CHECK: indirect.c:[[#@LINE+3]]:{{.*}}not optimized: this subscript is not an affine function
void squared(int n, double *restrict y, const double *restrict x) {
  for (long i = 0; i < n; i++)
    y[i] = x[i * i];
}
