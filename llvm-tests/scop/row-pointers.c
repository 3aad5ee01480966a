// Rows behind pointers are arrays of their own, by the number of the pointer and the element behind it.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: scop product:0
// CHECK: array [[C:Arr[0-9]+]] rows f64 [*, *]
// CHECK: {{array Arr[0-9]+ rows f64 \[\*, \*\]}}
// CHECK: must_write: {{.*}} Stmt0[i0, i1, i2] -> [[C]][o0 = i0, o1 = i1]
void product(double **c, double **a, double **b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// Fields of records are apart; neighbours of a row are other rows of one array.
// CHECK-LABEL: scop fields:0
// CHECK: array [[X:Arr[0-9]+]] rows f64
// CHECK-NEXT: array [[Y:Arr[0-9]+]] rows f64
// CHECK: read: {{.*}} -> [[X]][o0 = i0, o1 = i1]
// CHECK: read: {{.*}} -> [[X]][o0 = i0 + 1, o1 = i1]
// CHECK: must_write: {{.*}} -> [[Y]][o0 = i0, o1 = i1]
struct Record {
  double *x;
  long length;
  double *y;
};
void fields(struct Record *p, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      p[i].y[j] = p[i].x[j] + p[i + 1].x[j];
}

// Rows are exchanged: which pointer is where follows from the order of iterations.
// CHECK: row-pointers.c:[[#@LINE+7]]:{{.*}}not optimized: the pointer accessed here changes inside the loops (the table of rows is written)
void exchange(double **a, int n, int m) {
  for (int i = 0; i < n; i++) {
    double *row = a[i];
    a[i] = a[i + 1];
    a[i + 1] = row;
    for (int j = 0; j < m; j++)
      row[j] += 1.0;
  }
}

// Which row it is follows from data, or the table is no array.
// CHECK: row-pointers.c:[[#@LINE+4]]:{{.*}}not optimized: the pointer accessed here changes inside the loops
void chosen(double **a, const int *which, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[which[i]][j] += 1.0;
}

// CHECK: row-pointers.c:[[#@LINE+4]]:{{.*}}not optimized: the pointer accessed here changes inside the loops
void planes(double ***a, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j][0] += 1.0;
}
