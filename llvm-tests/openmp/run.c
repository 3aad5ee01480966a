// Programs compute the same bits in one, two and five threads, with both libraries and every way to deal out
// iterations.

// REQUIRES: libomp, libgomp
// RUN: %clang -O3 -I%S/../codegen/Inputs %s -o %t.old
// RUN: %t.old > %t.old.txt
// DEFINE: %{flags} =
// DEFINE: %{library} = -lomp
// DEFINE: %{run} = %clang -O3 -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -mllvm -polyrs-fatal-bugs -mllvm -polyrs-report %{flags} %s -o %t.new %{library} 2>&1 | FileCheck %s && env OMP_NUM_THREADS=1 %t.new > %t.1.txt && diff %t.old.txt %t.1.txt && env OMP_NUM_THREADS=2 %t.new > %t.2.txt && diff %t.old.txt %t.2.txt && env OMP_NUM_THREADS=5 %t.new > %t.5.txt && diff %t.old.txt %t.5.txt

// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-process-unprofitable -mllvm -polyrs-default-tile-size=4
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=static -mllvm -polyrs-scheduling-chunksize=3
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=dynamic
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=guided -mllvm -polyrs-num-threads=3
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=runtime
// RUN: %{run}
// REDEFINE: %{library} = %gomp
// REDEFINE: %{flags} = -mllvm -polyrs-omp-backend=GNU
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-omp-backend=GNU -mllvm -polyrs-scheduling=static -mllvm -polyrs-scheduling-chunksize=3
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-omp-backend=GNU -mllvm -polyrs-scheduling=dynamic -mllvm -polyrs-num-threads=3
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-omp-backend=GNU -mllvm -polyrs-scheduling=guided
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-omp-backend=GNU -mllvm -polyrs-scheduling=runtime
// RUN: %{run}

// CHECK: {{ }}5 regions transformed

#include "dump.h"

#define N 61
static double A[N][N], B[N][N], C[N][N], x[N], y[N];

KERNEL void product(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}

// The inner loops wait for the outer one.
KERNEL void elimination(int n) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      A[i][k] /= 60.0 + k;
      for (int j = k + 1; j < n; j++)
        A[i][j] -= A[i][k] * 0.01 * A[k][j];
    }
}

// Sums and conditional values in scalars.
KERNEL void scalars(int n) {
  for (int i = 0; i < n; i++) {
    double sum = y[i];
    for (int j = 0; j < n; j++)
      sum += (j > i ? A[i][j] : B[j][i]) * x[j];
    y[i] = sum;
  }
}

// Every third iteration, backwards.
KERNEL void strided(int n) {
  for (int i = n - 1; i >= 0; i -= 3)
    for (int j = i; j < n; j++)
      B[i][j] = B[i][j] * 0.5 + i;
}

// No iteration, and one.
KERNEL void ranges(int from, int to) {
  for (int i = from; i < to; i++)
    for (int j = 0; j < 7; j++)
      C[i][j] += 1.0;
}

int main(void) {
  fill(&A[0][0], N * N, 1);
  fill(&B[0][0], N * N, 2);
  fill(&C[0][0], N * N, 3);
  fill(x, N, 4);
  fill(y, N, 5);
  product(N);
  elimination(N);
  scalars(N - 1);
  strided(N);
  ranges(5, 5);
  ranges(9, 3);
  ranges(4, 5);
  dump("A", A, sizeof A);
  dump("B", B, sizeof B);
  dump("C", C, sizeof C);
  dump("y", y, sizeof y);
}
