// Products whose rows grow longer from row to row: each thread has two pieces of the rows, as far from the first as
// from the last one, and packs what both read. Triangular systems and products: threads share the right-hand sides, and
// start once. Results keep their bits, in any number of threads, with both libraries.

// REQUIRES: libomp, libgomp
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.old && %t.old > %t.old.txt
// DEFINE: %{library} = -lomp
// DEFINE: %{flags} =
// DEFINE: %{run} = %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-fatal-bugs %{flags} %s -o %t.new %{library} && env OMP_NUM_THREADS=1 %t.new | cmp - %t.old.txt && env OMP_NUM_THREADS=2 %t.new | cmp - %t.old.txt && env OMP_NUM_THREADS=3 %t.new | cmp - %t.old.txt && env OMP_NUM_THREADS=16 %t.new | cmp - %t.old.txt && env OMP_NUM_THREADS=64 %t.new | cmp - %t.old.txt
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=dynamic
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-omp-backend=GNU
// REDEFINE: %{library} = %gomp
// RUN: %{run}

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-print-after=ast -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TRIANGLE --input-file=%t.ll
// RUN: FileCheck %s --check-prefix=SQUARE --input-file=%t.ll
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-scheduling=dynamic -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ASKED
// TRIANGLE: define internal void @rank.polyrs.thread
// TRIANGLE-NOT: define
// TRIANGLE: call i32 @omp_get_num_threads()
// TRIANGLE-NOT: define
// TRIANGLE: call i32 @omp_get_thread_num()
// SQUARE: define internal void @square.polyrs.thread
// SQUARE-NOT: omp_get_thread_num
// SQUARE: call void @__kmpc_for_static_init_8
// ASKED: define internal void @rank.polyrs.thread
// ASKED-NOT: omp_get_thread_num
// ASKED: call void @__kmpc_dispatch_init_8

#include <stdio.h>

enum { N = 500, M = 780 };
static double a[N][N], b[N][M], c[N][N], d[N][N];

__attribute__((noinline)) void rank(void) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      for (int j = 0; j <= i; j++)
        c[i][j] += a[i][k] * a[j][k];
}

__attribute__((noinline)) void square(void) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      for (int j = 0; j < N; j++)
        d[i][j] += a[i][k] * c[k][j];
}

// CHECK-LABEL: #pragma parallel
// CHECK: #pragma parallel
// CHECK: #pragma parallel
// CHECK-NEXT: for ([[J:c[0-9]+]] = 0; [[J]] <= {{[0-9]+}}; [[J]]++) {
// CHECK-NEXT: for ([[K:c[0-9]+]] = 0;
// CHECK-NOT: #pragma parallel
// CHECK: for ({{.*}} = 128 * [[J]]; {{.*}} <= min(128 * [[J]] + 127, 779);
__attribute__((noinline)) void solve(void) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < i; k++)
      for (int j = 0; j < M; j++)
        b[i][j] -= a[i][k] * b[k][j];
}

static void tell(const double *x, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++)
    sum = sum * 1.0000001 + x[i];
  printf("%a\n", sum);
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (i * 7 + j * 3) % 11 / 4096.0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      b[i][j] = (i + j * 5) % 13 / 7.0;
  rank();
  tell(&c[0][0], (long)N * N);
  square();
  tell(&d[0][0], (long)N * N);
  solve();
  tell(&b[0][0], (long)N * M);
}
