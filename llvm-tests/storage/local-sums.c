// Sums in local variables that a store behind the loop puts into an array: they live in its element, so that the loops
// can be reordered. Results keep their bits; where the element is not free, or not of the variable's type, the variable
// stays.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-dependences>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -polyrs-fatal-bugs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: %clang -O3 -DMAIN %s -o %t.old
// RUN: %clang -O3 -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.new
// RUN: %clang -O3 -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable \
// RUN:   -mllvm -polyrs-default-tile-size=4 %s -o %t.forced
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: %t.forced > %t.forced.txt
// RUN: diff %t.old.txt %t.new.txt
// RUN: diff %t.old.txt %t.forced.txt

#include <stdio.h>

#define N 70
#define FN __attribute__((noinline)) void
double A[N][N], B[N][N], C[N][N], x[N], y[N];
float F[N][N];
int I[N][N];

// CHECK-LABEL: dependences of pointers:0
// CHECK-NOT: Stmt2
// CHECK-LABEL: dependences of updated:0
// DONE: local-sums.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}interchanged
FN pointers(double *restrict c, const double *restrict a, const double *restrict b, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// One statement is left.
// CHECK-NOT: Stmt1
// CHECK-LABEL: dependences of scaled:0
FN updated(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double s = C[i][j];
      for (int k = 0; k < N; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
}

// CHECK-NOT: Arr{{[4-9]}}
// CHECK-LABEL: dependences of columns:0
FN scaled(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double s = 0;
      for (int k = 0; k < N; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = 2 * s + x[i];
    }
}

// CHECK-NOT: Arr{{[3-9]}}
// CHECK-LABEL: dependences of integers:0
FN columns(void) {
  for (int i = 0; i < N; i++) {
    double s = 0;
    for (int j = 0; j < N; j++)
      s += A[j][i] * x[j];
    y[i] = s;
  }
}

// CHECK-LABEL: dependences of may_be_empty:0
FN integers(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int s = i;
      for (int k = 0; k < n; k++)
        s = s * 3 + I[k][j];
      I[i][j] = s;
    }
}

// CHECK-LABEL: dependences of other_type:0
FN may_be_empty(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = x[j];
      for (int k = 0; k < m; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
}

// A double that is stored as a float does not fit into the element.
// CHECK: Arr{{[3-9]}}
// CHECK-LABEL: dependences of read_meanwhile:0
FN other_type(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += A[i][k] * B[k][j];
      F[i][j] = (float)s;
    }
}

// The element's old value is needed until the store.
// CHECK: Arr{{[3-9]}}
// CHECK-LABEL: dependences of used_later:0
FN read_meanwhile(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = C[i][j] * 0.5 + s;
    }
}

// The variable has several homes and may have the first.
FN used_later(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = s;
      B[i][j] = s + C[j][i];
    }
}

// A sum that some iterations leave alone.
// DONE: local-sums.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}interchanged
FN guarded(double *restrict c, const double *restrict a, const double *restrict b, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        if (k != i)
          s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// The sum reads elements of the array that its result goes to, and has no terms at first.
// DONE: local-sums.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}tiled
FN factors(double *a, long n) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < i; j++) {
      double s = a[i * n + j];
      for (long k = 0; k < j; k++)
        s -= a[i * n + k] * a[k * n + j];
      a[i * n + j] = s / (a[j * n + j] + 9);
    }
    for (long j = i; j < n; j++) {
      double s = a[i * n + j];
      for (long k = 0; k < i; k++)
        s -= a[i * n + k] * a[k * n + j];
      a[i * n + j] = s;
    }
  }
}

// Terms that read the element before it has its new value.
FN one_too_many(double *a, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = a[i * n + j];
      for (long k = 0; k <= j; k++)
        s -= a[i * n + k] * 0.01;
      a[i * n + j] = s;
    }
}

// A sum that two arrays get: it is at home in both.
FN moments(double *restrict c, const double *restrict a, double *restrict b, long n) {
  for (long j = 0; j < n; j++) {
    double s = 0, q = 0;
    for (long i = 0; i < n; i++) {
      s += a[i * n + j];
      q += a[i * n + j] * a[i * n + j];
    }
    c[j] = s / n;
    b[j] = q / n - (s / n) * (s / n);
  }
}

// Some elements are not written.
FN off_diagonal(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += A[i][k] * B[k][j];
      if (i != j)
        C[i][j] = s;
    }
}

// The last sum is read behind the loops.
FN last(int n) {
  double s = x[0];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      s = 0;
      for (int k = 0; k < n; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
  y[0] = s;
}

// A second store to the element.
FN rounded(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++) {
        s += A[i][k] * B[k][j];
        C[i][j] = s * 0.25;
      }
      C[i][j] = s + C[i][j];
    }
}

// Arrays that overlap: the copy of the loops that was there before runs.
FN overlapping(double *c, const double *a, const double *b, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

#ifdef MAIN
static void fill(void) {
  for (int i = 0; i < N; i++) {
    x[i] = 1.0 / (i + 3);
    y[i] = 0;
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 7 + j * 3) % 11 / 7.0 - 0.6;
      B[i][j] = (i * 5 + j * 13) % 17 / 9.0 - 0.9;
      C[i][j] = i * 0.1 - j * 0.3;
      F[i][j] = 0;
      I[i][j] = i - j;
    }
  }
}

static void show(const char *name) {
  double sum = 0;
  unsigned whole = 0;
  for (int i = 0; i < N; i++) {
    sum = sum * 1.0000003 + x[i] + 3 * y[i];
    for (int j = 0; j < N; j++) {
      sum = sum * 1.0000003 + A[i][j] + B[i][j] * 2 + C[i][j] * 3 + F[i][j] * 5;
      whole = whole * 31 + I[i][j];
    }
  }
  printf("%s %a %u\n", name, sum, whole);
  fill();
}

int main(void) {
  static const int sizes[] = {0, 1, 5, 37, N};
  fill();
  for (int k = 0; k < 5; k++) {
    int n = sizes[k];
    pointers(C[0], A[0], B[0], n), show("pointers");
    integers(n), show("integers");
    other_type(n), show("other_type");
    read_meanwhile(n), show("read_meanwhile");
    used_later(n), show("used_later");
    guarded(C[0], A[0], B[0], n), show("guarded");
    factors(A[0], n), show("factors");
    moments(C[0], A[0], B[0], n), show("moments");
    one_too_many(A[0], n), show("one_too_many");
    off_diagonal(n), show("off_diagonal");
    last(n), show("last");
    rounded(n), show("rounded");
    overlapping(C[0], A[0], B[0], n), show("overlapping: apart");
    overlapping(A[0] + 3, A[0], B[0], n < N ? n : N - 1), show("overlapping: shifted");
    overlapping(B[0], A[0], B[0], n), show("overlapping: equal");
    for (int m = 0; m < 5; m++)
      may_be_empty(n, sizes[m]), show("may_be_empty");
  }
  updated(), show("updated");
  scaled(), show("scaled");
  columns(), show("columns");
}
#endif
