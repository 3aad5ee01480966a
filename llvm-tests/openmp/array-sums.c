// What a loop adds up in the elements of an array is collected in threads, in copies of the array that do not depend on
// the number of threads: the same bits in one, two and five threads, with both libraries and every way to deal out
// blocks.

// REQUIRES: libomp, libgomp
// DEFINE: %{fast} =
// DEFINE: %{flags} =
// DEFINE: %{library} = -lomp
// DEFINE: %{run} = %clang -O3 -g -I%S/../codegen/Inputs %{fast} -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -mllvm -polyrs-fatal-bugs -mllvm -polyrs-report %{flags} %s -o %t.new %{library} 2>&1 | FileCheck %s --check-prefix=DONE && env OMP_NUM_THREADS=1 %t.new > %t.1.txt && env OMP_NUM_THREADS=2 %t.new > %t.2.txt && env OMP_NUM_THREADS=5 %t.new > %t.5.txt && diff %t.1.txt %t.2.txt && diff %t.1.txt %t.5.txt

// Integers give what the original gives.
// RUN: %clang -O3 -I%S/../codegen/Inputs %s -o %t.old
// RUN: %t.old > %t.old.txt
// RUN: %{run}
// RUN: diff %t.old.txt %t.1.txt
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=dynamic -mllvm -polyrs-process-unprofitable
// RUN: %{run}
// RUN: diff %t.old.txt %t.1.txt
// REDEFINE: %{library} = %gomp
// REDEFINE: %{flags} = -mllvm -polyrs-omp-backend=GNU -mllvm -polyrs-optimizer=none
// RUN: %{run}
// RUN: diff %t.old.txt %t.1.txt

// Floating point, once it may be reordered, gives the same bits for every number of threads.
// REDEFINE: %{fast} = -ffast-math
// RUN: %{run}
// REDEFINE: %{library} = -lomp
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=guided -mllvm -polyrs-optimizer=none
// RUN: %{run}

// Without being forced.
// RUN: %clang -O3 -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-parallel %s -o %t.free -lomp
// RUN: env OMP_NUM_THREADS=3 %t.free > %t.free.txt
// RUN: diff %t.old.txt %t.free.txt

// DONE: {{ }}25 regions transformed

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.ll
// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force;optimizer=none>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: %opt -passes='polyrs<parallel;parallel-force;fatal-bugs;optimizer=none>,verify' %t.ll -S -o %t.out.ll
// RUN: FileCheck %s < %t.out.ll
// RUN: FileCheck %s --check-prefix=LIMIT < %t.out.ll
// RUN: %clang -O1 -ffast-math -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.fast.ll
// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force;optimizer=none>>' -disable-output %t.fast.ll 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force;reductions=false;optimizer=none>>' -disable-output %t.fast.ll 2>&1 | FileCheck %s --check-prefix=OFF

// STRICT-COUNT-17: #pragma parallel reduction({{.*}}[:]
// STRICT-NOT: [:]
// FAST-COUNT-20: #pragma parallel reduction({{.*}}[:]
// FAST-NOT: [:]
// OFF-NOT: reduction(

#include "dump.h"

#include <stdlib.h>

#define N 120
#define M 133
static int A[N][M], S[M], T[M], U[N + M];
static unsigned char C[N][M], P[M];
static int Q[8][9];
static double D[N][M], X[M], Y[M];
static float E[N][M], Z[M];

// CHECK-LABEL: define {{.*}}@columns(
// CHECK: call ptr @aligned_alloc(i64 64, i64
// CHECK: call void {{.*}}@__kmpc_fork_call(
// CHECK: polyrs.gather:
// CHECK: call void @free(
// CHECK-LABEL: define {{.*}}@columns.polyrs.body.0(
// CHECK: polyrs.fill:
// CHECK: store i32 0
// CHECK: {{^[}]$}}
KERNEL void columns(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      S[j] += A[i][j];
}

// Backwards, and with the bounds of 64 bits.
KERNEL void backwards(long n, long m) {
  for (long i = n - 1; i >= 0; i--)
    for (long j = 0; j < m; j++)
      S[m - 1 - j] -= A[i][j];
}

KERNEL void products(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      S[j] *= 2 * A[i][j] + 1;
}

KERNEL void masks(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      S[j] &= A[i][j] | 0xff;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      T[j] |= A[i][j] & 0x35;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      S[j] ^= A[i][j];
}

KERNEL void extremes(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      S[j] = S[j] > A[i][j] ? S[j] : A[i][j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      P[j] = P[j] < C[i][j] ? P[j] : C[i][j];
}

// Blocks update different elements, which overlap.
KERNEL void diagonals(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      U[i + j] += A[i][j] * j;
}

// Two dims, all of them.
KERNEL void outer_products(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 9; k++)
        Q[j][k] += A[i][j] * A[i][k];
}

// Two arrays and a variable at once.
KERNEL int together(int n, int m) {
  int s = 3;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      S[j] += A[i][j];
      T[j] ^= A[i][j];
      s += A[i][j];
    }
  return s;
}

// Scratch space besides.
KERNEL void with_scratch(int n, int m) {
  int row[M];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      row[j] = A[i][j] * 3;
    for (int j = 1; j < m; j++)
      S[j] += row[j] * row[j - 1];
  }
}

// Elements that another loop of the region writes before.
KERNEL void from_zero(int n, int m) {
  for (int j = 0; j < m; j++)
    S[j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      S[j] += A[i][j];
}

// Inside of another loop, which carries its results.
KERNEL void again(int t, int n, int m) {
  for (int k = 0; k < t; k++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        S[j] += A[i][j];
    for (int j = 1; j < m; j++)
      S[j] += S[j - 1] & 0xffff;
  }
}

// Another loop reads elements that this one does not touch.
KERNEL void beside(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m - 1; j++)
      S[j] += A[i][j];
  for (int j = 1; j < m; j++)
    T[j] -= S[j] ^ S[j - 1];
}

// Only some rows, and of each row a different part.
KERNEL void triangle(int n, int m) {
  for (int i = 0; i < n; i++)
    if (i < m)
      for (int j = 0; j <= i; j++)
        S[j] += A[i][j];
}

KERNEL void fcolumns(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      X[j] += D[i][j] * D[i][j];
}

// Some elements get no update: what they hold stays what it is.
KERNEL void flargest(int n, int m) {
  for (int j = 0; j < m; j++)
    Z[j] = j & 1 ? Z[j] : Z[j] * 0.5f;
  for (int i = 0; i < n; i++)
    for (int j = 3; j < m; j++)
      Z[j] = E[i][j] > Z[j] ? E[i][j] : Z[j];
}

// atax: each row of the matrix is read once.
KERNEL void twice(int n, int m) {
  for (int i = 0; i < n; i++) {
    double t = 0;
    for (int j = 0; j < m; j++)
      t += D[i][j] * X[j];
    for (int j = 0; j < m; j++)
      Y[j] += D[i][j] * t;
  }
}

// Copies of this array may be larger than all that copies may have together: then the loop inside is shared, forced or
// not.
// LIMIT-LABEL: define {{.*}}@vast(
// LIMIT: icmp ule i64 {{.*}}, 16777216
KERNEL void vast(long n, long m, const int *restrict x, int *restrict y) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      y[j] += x[i + j];
}

// None of these may be collected in copies of an array.

// Every other element: those between belong to somebody else.
KERNEL void apart(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m / 2; j++)
      S[2 * j] += A[i][j];
}

// Somebody looks at what was collected so far.
KERNEL void watched(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      S[j] += A[i][j];
      A[i][j] = S[j];
    }
}

KERNEL void two_operations(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      S[j] += A[i][j];
      S[j] ^= i;
    }
}

// Some elements only in some iterations, as data says: the others are not ours.
KERNEL void where(int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (A[i][j] & 1)
        S[j] += A[i][j];
}

static void show(void) {
  dump("S", S, sizeof S);
  dump("T", T, sizeof T);
  dump("U", U, sizeof U);
  dump("P", P, sizeof P);
  dump("Q", Q, sizeof Q);
  dump("X", X, sizeof X);
  dump("Y", Y, sizeof Y);
  dump("Z", Z, sizeof Z);
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      A[i][j] = (i * 7919) ^ (j << 3);
      C[i][j] = (unsigned char)(i * 31 + j * 7);
    }
  for (int j = 0; j < M; j++)
    P[j] = 200;
  fill(&D[0][0], N * M, 1);
  fill(X, M, 2);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      E[i][j] = (float)D[i][j];
  for (int n = 0; n <= N; n += n < 3 ? 1 : 39)
    for (int m = 0; m <= M; m += m < 2 ? 1 : 131) {
      columns(n, m);
      backwards(n, m);
      products(n, m);
      masks(n, m);
      extremes(n, m);
      diagonals(n, m);
      outer_products(n);
      S[1] += together(n, m);
      with_scratch(n, m);
      beside(n, m);
      triangle(n, m);
      fcolumns(n, m);
      flargest(n, m);
      twice(n, m);
      show();
      from_zero(n, m);
      again(3, n, m);
      apart(n, m);
      watched(n, m);
      two_operations(n, m);
      where(n, m);
      show();
    }
  long m = 1 << 23;
  int *x = calloc(2 * m, sizeof *x), *y = calloc(m, sizeof *y);
  for (long j = 0; j < 2 * m; j++)
    x[j] = (int)(j * 7919);
  vast(2, m, x, y);
  vast(3, 1000, x, y);
  unsigned sum = 0;
  for (long j = 0; j < m; j++)
    sum = sum * 31 + (unsigned)y[j];
  printf("%u\n", sum);
  free(x);
  free(y);
}
