// Sizes and pointers that are read in the loops are parameters and arrays where nothing in the loops may write them.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<polyrs-scops>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='polyrs<print-after=canonicalize;stop-after=canonicalize>' -disable-output %t.ll 2>&1 | FileCheck --check-prefix=IR %s

typedef struct {
  int rows, cols;
  double *data;
} Matrix;

// CHECK-LABEL: scop bound:0
// CHECK: domain: [p0] -> { Stmt0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p0 }
void bound(double *restrict o, const double *restrict a, const int *restrict p) {
  int n = *p;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      o[i * n + j] = a[i * n + j];
}

// By type: a double is neither an int nor a pointer.
// CHECK-LABEL: scop members:0
// CHECK: domain: [p0, p1, p2, p3] -> { Stmt0[i0, i1, i2] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
void members(Matrix *c, const Matrix *a, const Matrix *b) {
  for (int i = 0; i < c->rows; i++)
    for (int j = 0; j < c->cols; j++)
      for (int k = 0; k < a->cols; k++)
        c->data[i * c->cols + j] += a->data[i * a->cols + k] * b->data[k * b->cols + j];
}

// The pointer is read if the inner loop runs at all: in the first iteration of the outer one, if it does.
// CHECK-LABEL: scop triangle:0
// IR-LABEL: load i64, ptr %0
// IR: %[[RUNS:.*]] = icmp s{{..}} i64 %{{.*}}, 1
// IR: br i1 %[[RUNS]], label %[[THEN:.*]], label %[[AFTER:.*]]
// IR: [[THEN]]:
// IR: load ptr
// IR: [[AFTER]]:
// IR: phi ptr [ {{.*}}, %[[THEN]] ], [ null,
struct Sym {
  long n;
  double *a;
};
void triangle(struct Sym *m) {
  for (long i = 0; i < m->n; i++)
    for (long j = i + 1; j < m->n; j++)
      m->a[j * m->n + i] += 1;
}

// The inner loop runs in the last iteration of the outer one, if it runs at all.
// CHECK-LABEL: scop lower:0
void lower(struct Sym *m) {
  for (long i = 0; i < m->n; i++)
    for (long j = 0; j < i; j++)
      m->a[j * m->n + i] += 1;
}

// An int that is written may be a bound: that it is none is tested before (sizes-overwritten.c).
// CHECK-LABEL: scop ints:0
struct Map {
  int w, h, *cell;
};
void ints(struct Map *o) {
  for (int x = 0; x < o->w; x++)
    for (int y = 0; y < o->h; y++)
      o->cell[y * o->w + x] = 1;
}

// A call may write it: the loop that calls is no region, the one in it is.
// CHECK-LABEL: scop called:0
// CHECK: Stmt0[i0] :
void touch(void);
void called(Matrix *c) {
  for (int i = 0; i < c->rows; i++) {
    touch();
    for (int j = 0; j < c->cols; j++)
      c->data[i * c->cols + j] = 0;
  }
}

// The pointer is read if some element is positive, which nobody knows before: it stays, and the inner loop is a region.
// CHECK-LABEL: scop maybe:0
// CHECK: Stmt0[i0] :
void maybe(int n, const double *x, Matrix *c) {
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      for (int j = 0; j < n; j++)
        c->data[i * n + j] = 0;
}

// Two loops of a time step read the same members, each under its own condition: as many arrays as members.
// CHECK-LABEL: scop steps:0
// CHECK: array Arr0 memory f64
// CHECK-NEXT: array Arr1 memory f64
// CHECK-NEXT: alias: Arr0, Arr1
// CHECK-NEXT: stmt Stmt0
struct Heat {
  int n, steps;
  double *u, *v;
};
void steps(struct Heat *h) {
  for (int t = 0; t < h->steps; t++) {
    for (int i = 1; i < h->n - 1; i++)
      h->v[i] = h->u[i - 1] + h->u[i + 1];
    for (int i = 1; i < h->n - 1; i++)
      h->u[i] = h->v[i - 1] + h->v[i + 1];
  }
}

// The second loop runs under a condition of its own: what it reads is not what the first one has read.
// CHECK-LABEL: scop apart:0
// CHECK: array Arr2 memory f64
void apart(struct Heat *h, int more) {
  for (int t = 0; t < h->steps; t++) {
    for (int i = 1; i < h->n - 1; i++)
      h->v[i] = h->u[i - 1] + h->u[i + 1];
    for (int i = 1; i < more; i++)
      h->u[i] = h->v[i - 1] + h->v[i + 1];
  }
}

// What is loaded for its own sake is no parameter: it is read where it is used.
// CHECK-LABEL: scop product:0
// CHECK-NOT: value
// CHECK: stmt Stmt0
// CHECK: read: { Stmt0[i0, i1, i2] -> Arr{{.}}[o0 = i0, o1 = i2] }
int A[50][50], B[50][50], C[50][50];
void product(void) {
  for (int i = 0; i < 50; i++)
    for (int k = 0; k < 50; k++)
      for (int j = 0; j < 50; j++)
        C[i][j] += A[i][k] * B[k][j];
}
