// Loops that update one element run in threads, in blocks that do not depend on the number of threads: the same bits in
// one, two and five threads, with both libraries and every way to deal out blocks.

// REQUIRES: libomp, libgomp
// DEFINE: %{fast} =
// DEFINE: %{flags} =
// DEFINE: %{regions} = 14
// DEFINE: %{library} = -lomp
// DEFINE: %{run} = %clang -O3 -g -I%S/../codegen/Inputs %{fast} -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -mllvm -polyrs-fatal-bugs -mllvm -polyrs-report %{flags} %s -o %t.new %{library} 2>&1 | FileCheck %s --check-prefix=DONE -DREGIONS=%{regions} && env OMP_NUM_THREADS=1 %t.new > %t.1.txt && env OMP_NUM_THREADS=2 %t.new > %t.2.txt && env OMP_NUM_THREADS=5 %t.new > %t.5.txt && diff %t.1.txt %t.2.txt && diff %t.1.txt %t.5.txt

// Integers give what the original gives.
// RUN: %clang -O3 -I%S/../codegen/Inputs %s -o %t.old
// RUN: %t.old > %t.old.txt
// RUN: %{run}
// RUN: diff %t.old.txt %t.1.txt
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=dynamic
// RUN: %{run}
// RUN: diff %t.old.txt %t.1.txt
// REDEFINE: %{library} = %gomp
// REDEFINE: %{flags} = -mllvm -polyrs-omp-backend=GNU
// RUN: %{run}
// RUN: diff %t.old.txt %t.1.txt

// Floating point, once it may be reordered, gives the same bits for every number of threads.
// REDEFINE: %{fast} = -ffast-math
// REDEFINE: %{regions} = 18
// RUN: %{run}
// REDEFINE: %{library} = -lomp
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=guided
// RUN: %{run}

// DONE: {{ }}[[REGIONS]] regions transformed

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.ll
// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: %opt -passes='polyrs<parallel;parallel-force;fatal-bugs>,verify' %t.ll -S | FileCheck %s
// RUN: %clang -O1 -ffast-math -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.fast.ll
// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force>>' -disable-output %t.fast.ll 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force;reductions=false>>' -disable-output %t.fast.ll 2>&1 | FileCheck %s --check-prefix=OFF

// STRICT-COUNT-10: #pragma parallel reduction(
// STRICT-NOT: reduction(
// FAST-COUNT-14: #pragma parallel reduction(
// FAST-NOT: reduction(
// OFF-NOT: reduction(

#include "dump.h"

#define N 10007
static int A[N];
static unsigned char B[N];
static double D[N];
static float E[N];
static int x[8];
static unsigned char y[2];
static double d[8];
static float e[2];

// CHECK-LABEL: define {{.*}}@sums(
// CHECK: alloca [64 x i32]
// CHECK: polyrs.combine:
// CHECK: add i32
// CHECK-NOT: nsw
// CHECK: store i32 {{.*}}, ptr @x
// CHECK: call void {{.*}}@__kmpc_fork_call(
// CHECK-LABEL: define {{.*}}@sums.polyrs.body.0(
// CHECK-NOT: ptr @x
// CHECK: phi i32 [ 0,
// CHECK: add i32
// CHECK-NOT: ptr @x
// CHECK: {{^[}]$}}
KERNEL void sums(int n) {
  for (int i = 0; i < n; i++)
    x[0] += A[i];
}

// Backwards, every third, two updates in one statement.
KERNEL void strides(int n) {
  for (int i = n - 1; i >= 0; i -= 3)
    x[1] = x[1] - A[i] + 3 * B[i];
}

KERNEL void products(int n) {
  for (int i = 0; i < n; i++)
    x[2] *= 2 * A[i] + 1;
}

KERNEL void masks(int n) {
  for (int i = 0; i < n; i++)
    x[3] &= A[i] | 0xf0f0;
}

KERNEL void bits(int n) {
  for (int i = 0; i < n; i++)
    y[0] |= B[i] & 0x35;
}

KERNEL void parity(int n) {
  for (int i = 0; i < n; i++)
    y[1] ^= B[i];
}

KERNEL void smallest(int n) {
  for (int i = 0; i < n; i++)
    x[4] = A[i] < x[4] ? A[i] : x[4];
}

KERNEL void largest(int n) {
  for (int i = 0; i < n; i++)
    x[5] = A[i] > x[5] ? A[i] : x[5];
}

// Two statements, one inside a condition, and a loop inside.
KERNEL void two(int n, int m) {
  for (int i = 0; i < n; i++) {
    x[6] += A[i];
    for (int j = 0; j < m; j++)
      x[6] -= B[i + j];
  }
}

// Nothing is written where no update is made.
KERNEL void never(int *p, int n, int m) {
  for (int i = 0; i < n; i++)
    if (m > 5)
      *p += A[i];
}

KERNEL void fsums(int n) {
  for (int i = 0; i < n; i++)
    d[0] += D[i];
}

KERNEL void fproducts(int n) {
  for (int i = 0; i < n; i++)
    d[1] *= 1.0 + D[i] * 1e-9;
}

KERNEL void fsmallest(int n) {
  for (int i = 0; i < n; i++)
    e[0] = E[i] < e[0] ? E[i] : e[0];
}

KERNEL void flargest(int n) {
  for (int i = 0; i < n; i++)
    e[1] = E[i] > e[1] ? E[i] : e[1];
}

// The element moves with an outer loop.
KERNEL void rows(int n) {
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < n; j++)
      d[i] += D[j] * D[(i * 50) + j];
}

// Whoever looks at the running value sees it in its order.
KERNEL void prefix(int n) {
  for (int i = 0; i < n; i++) {
    x[7] += A[i];
    A[i] = x[7];
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    A[i] = (i * 7919) ^ (i << 16);
    B[i] = (unsigned char)(i * 31);
  }
  fill(D, N, 1);
  for (int i = 0; i < N; i++)
    E[i] = (float)D[i];
  d[1] = 1.0;
  x[2] = 3;
  x[3] = -1;
  sums(N);
  sums(0);
  sums(1);
  sums(64);
  sums(65);
  strides(N);
  products(N);
  masks(N);
  bits(N);
  parity(N);
  smallest(N);
  largest(N);
  two(N - 10, 9);
  never(0, N, 3);
  never(&x[6], N, 6);
  fsums(N);
  fproducts(N);
  fsmallest(N);
  flargest(N);
  rows(N - 400);
  prefix(N);
  dump("A", A, sizeof A);
  dump("x", x, sizeof x);
  dump("y", y, sizeof y);
  dump("d", d, sizeof d);
  dump("e", e, sizeof e);
}
