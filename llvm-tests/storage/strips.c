// Scalars that find no free element become small arrays: loops around them are cut into strips, in which they can be
// reordered. Results keep their bits; where a value stays in a loop's next iteration, or no new order is faster, the
// variable and the code stay as they are.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -gline-tables-only -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -pass-remarks-missed=polyrs -polyrs-fatal-bugs -polyrs-verify-ast -S %t.ll -o %t.new.ll \
// RUN:   2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=CODE < %t.new.ll
// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -emit-llvm -S %s -o %t.narrow.ll
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -polyrs-fatal-bugs -disable-output %t.narrow.ll 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NARROW
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

#define N 150
#define FN __attribute__((noinline)) void
double A[N][N], B[N][N], C[N][N], D[N][N], y[N];
int I[N][N];

// CHECK-DAG: strips.c:[[#@LINE+4]]:{{[0-9]+}}: loops reordered: {{.*}}scalars in arrays for strips of 32x128{{.*}}packed for
// CODE-LABEL: define {{.*}}@scaled(
// CODE: alloca [4096 x i64]
FN scaled(double *restrict c, const double *restrict a, const double *restrict b, long n, double x, double z) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = x * s + z * c[i * n + j];
    }
}

// CHECK-DAG: strips.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}scalars in arrays for strips of {{.*}}packed for
FN two_sums(long n, const double *restrict a, const double *restrict b, const double *restrict d, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0, t = 1;
      for (long k = 0; k < n; k++) {
        s += a[i * n + k] * b[k * n + j];
        t += a[i * n + k] * d[k * n + j];
      }
      c[i * n + j] = s / (1 + t * t);
    }
}

// Two stores of one value, one of them to the other triangle.
FN covariance(int n) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += A[k][i] * A[k][j];
      s /= n - 1.0;
      C[i][j] = s;
      C[j][i] = s;
    }
}

// Vectors of two to four elements gain as well: what arrays take is no part of what the original takes.
// CHECK-DAG: strips.c:[[#@LINE+3]]:{{[0-9]+}}: loops reordered: {{.*}}scalars in arrays for strips of {{.*}}interchanged
// NARROW: strips.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}scalars in arrays for strips of {{.*}}interchanged
FN integers(long n, const int *restrict a, const int *restrict b, int *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      int s = 0, t = 7;
      for (long k = 0; k < n; k++) {
        s += a[i * n + k] * b[k * n + j];
        t ^= a[i * n + k] + b[k * n + j];
      }
      c[i * n + j] += s >> (t & 3);
    }
}

// A value that the next row needs.
// CHECK-DAG: strips.c:[[#@LINE+5]]:{{[0-9]+}}: order of the loops kept
// CODE-LABEL: define {{.*}}@carried(
// CODE-NOT: alloca [
FN carried(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  double s = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++)
        s = s * 0.5 + a[i * n + k] * b[k * n + j];
      c[i * n + j] += s;
    }
}

// Each sum goes along a row: rows become lanes of vectors.
// CHECK-DAG: strips.c:[[#@LINE+4]]:{{[0-9]+}}: loops reordered: {{.*}}scalars in arrays for strips of {{.*}}rows in 4 lanes
// CODE-LABEL: define {{.*}}@rows(
// CODE: alloca [
FN rows(long n, const double *restrict a, const double *restrict x, double *restrict c) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * x[k];
    c[i] = 0.5 * c[i] + s;
  }
}

// Guards, an inner loop without iterations, and strips that end early.
// CHECK-DAG: strips.c:[[#@LINE+3]]:{{[0-9]+}}: loops reordered: {{.*}}scalars in arrays for strips of 32x128
// CODE-LABEL: define {{.*}}@guarded(
FN guarded(int n, int m) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++) {
      double s = y[i];
      for (int k = 0; k < m; k++)
        if (k != j)
          s += A[i][k] * B[k][j];
      if (i != 2 * j)
        D[i][j] = s + D[i][j] * 0.25;
    }
}

// A sum that each row's element gets: what the leading dimension is does not matter.
// CHECK-DAG: strips.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}scalars in arrays for strips of 512{{.*}}interchanged
FN columns(long n, long m, const double *restrict a, long lda, const double *restrict x, double *restrict c, double z) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k < m; k++)
      s += a[i + k * lda] * x[k];
    c[i] += z * s;
  }
}

// What a sum of integers is after each addend is stored.
// CHECK-DAG: strips.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}scalars in arrays for strips of 512{{.*}}interchanged
FN running(long n, long m, const int *restrict a, int *restrict c) {
  for (long j = 0; j < m; j++) {
    int s = 0;
    for (long i = 0; i < n; i++) {
      s += a[i * m + j];
      c[i * m + j] = s;
    }
  }
}

#ifdef MAIN
static void fill(void) {
  for (int i = 0; i < N; i++) {
    y[i] = 1.0 / (i + 3);
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 7 + j * 3) % 11 / 7.0 - 0.6;
      B[i][j] = (i * 5 + j * 13) % 17 / 9.0 - 0.9;
      C[i][j] = i * 0.1 - j * 0.3;
      D[i][j] = i * 0.2 + j * 0.1;
      I[i][j] = i - j;
    }
  }
}

static void show(const char *name) {
  double sum = 0;
  unsigned whole = 0;
  for (int i = 0; i < N; i++) {
    sum = sum * 1.0000003 + 3 * y[i];
    for (int j = 0; j < N; j++) {
      sum = sum * 1.0000003 + A[i][j] + B[i][j] * 2 + C[i][j] * 3 + D[i][j] * 5;
      whole = whole * 31 + I[i][j];
    }
  }
  printf("%s %a %u\n", name, sum, whole);
  fill();
}

int main(void) {
  static const int sizes[] = {0, 1, 2, 31, 32, 33, 127, 128, 129, N};
  static int J[N * N], K[N * N];
  fill();
  for (int k = 0; k < N * N; k++)
    J[k] = k % 101 - 50, K[k] = k % 37 - 11;
  for (int k = 0; k < 10; k++) {
    int n = sizes[k];
    scaled(C[0], A[0], B[0], n, 1.5, 0.25), show("scaled");
    two_sums(n, A[0], B[0], C[0], D[0]), show("two_sums");
    covariance(n), show("covariance");
    integers(n, J, K, I[0]), show("integers");
    carried(n, A[0], B[0], C[0]), show("carried");
    rows(n, A[0], B[0], y), show("rows");
    columns(n, N - n / 2, A[0], N, B[0], y, 0.75), show("columns");
    running(n, N - n / 2, J, I[0]), show("running");
    for (int m = 0; m < 10; m++)
      guarded(n, sizes[m]), show("guarded");
  }
}
#endif
