// Array shapes come from strides: constant and symbolic sizes, written as arrays or by hand.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

#define N 50
double G[N][N], T[N][N][N];

// CHECK-LABEL: scop constant_size:0
// CHECK: memory f64 [*, 50]
// CHECK: memory f64 [*, 50, 50]
// CHECK: read: {{.*}} -> Arr0[o0 = i0 - 1, o1 = i1 + 1] }
// CHECK: must_write: {{.*}} -> Arr1[o0 = i1, o1 = i0, o2 = i1] }
void constant_size(void) {
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N - 1; j++)
      T[i][j][0] = G[i][j];
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N - 1; j++)
      T[j][i][j] = G[i - 1][j + 1];
}

// CHECK-LABEL: scop by_hand:0
// CHECK: array Arr0 memory f64 [*, p1]
// CHECK: must_write: {{.*}} -> Arr0[o0 = i0, o1 = i1] }
void by_hand(int n, int m, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i * m + j] = 1.0;
}

// CHECK-LABEL: scop three_dims:0
// CHECK: array Arr0 memory f64 [*, p1 + 1, p2]
// CHECK: must_write: {{.*}} -> Arr0[o0 = i0, o1 = i1, o2 = i2] }
void three_dims(long n, long m, long o, double A[n][m + 1][o]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      for (long k = 0; k < o; k++)
        A[i][j][k] = 1.0;
}

// Nothing relates the loop to the size of a row: assumed, tested at run time.
// CHECK-LABEL: scop assumed:0
// CHECK: invalid: {{.*}} { : 1 <= p0 <= 2147483647 and -2147483648 <= p1 < p0 }
// CHECK: array Arr0 memory f64 [*, p1]
void assumed(int n, int m, double A[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = 1.0;
}

struct point { double x, y; };
// CHECK-LABEL: scop fields:0
// CHECK: array Arr0 memory f64 [*, 2]
// CHECK: read: {{.*}} -> Arr0[o0 = i0, o1 = 0] }
// CHECK: must_write: {{.*}} -> Arr0[o0 = i0, o1 = 1] }
void fields(int n, struct point *p) {
  for (int i = 0; i < n; i++)
    p[i].y = p[i].x;
}

// What a remainder takes away is no stride: rows keep the length that the other subscripts say.
// CHECK-LABEL: scop remainder:0
// CHECK: invalid: [p0] -> { {{.*}} 1001 <= p0
// CHECK: memory f64 [*, 1000]
// CHECK: memory f64 [*, 1000]
void remainder(unsigned n, double (*restrict a)[1000], const double (*restrict b)[1000]) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      a[j][i & 15] += b[j][i];
}

// A quotient by 16 steps from row to row.
// CHECK-LABEL: scop quotient:0
// CHECK: memory f64 [*, 1000]
void quotient(unsigned n, double *restrict a) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      a[(i / 16) * 1000 + j] += 1;
}

// Every second row, as grids of half the resolution read them: odd rows are second halves of rows twice as long, of
// which more is known than that they are first halves of rows before.
// CHECK-LABEL: scop coarse:0
// CHECK: memory f64 [*, 2p0]
// CHECK: read: {{.*}} -> Arr0[o0 = i0 - 1, o1 = p0 + 2i1] }
void coarse(long n, const double *restrict fine, double *restrict grid) {
  long m = n / 2;
  for (long i = 1; i < m; i++)
    for (long j = 1; j < m; j++)
      grid[i * m + j] = fine[2 * i * n + 2 * j] + fine[(2 * i - 1) * n + 2 * j];
}

// Every second point of a row, the first or the second one by turns, as red and black points of a grid: the remainder
// is no part of the length of a row.
// CHECK-LABEL: scop red:0
// CHECK: array Arr0 memory f64 [*, p0]
// CHECK: must_write: {{.*}}Arr0[o0 = i0, o1] : exists
void red(int n, double *u) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1 + i % 2; j < n - 1; j += 2)
      u[i * n + j] *= 0.25;
}
