// Rows of scratch space that each iteration fills before it reads them: each thread has a copy, the last iteration
// works on the array itself. Programs compute the same bits in one, two and five threads, with both libraries and every
// way to deal out iterations.

// REQUIRES: libomp, libgomp
// RUN: %clang -O3 -I%S/../codegen/Inputs %s -o %t.old
// RUN: %t.old > %t.old.txt
// DEFINE: %{flags} =
// DEFINE: %{library} = -lomp
// DEFINE: %{run} = %clang -O3 -g -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -mllvm -polyrs-fatal-bugs -mllvm -polyrs-report %{flags} %s -o %t.new %{library} 2>&1 | FileCheck %s --check-prefix=DONE && env OMP_NUM_THREADS=1 %t.new > %t.1.txt && diff %t.old.txt %t.1.txt && env OMP_NUM_THREADS=2 %t.new > %t.2.txt && diff %t.old.txt %t.2.txt && env OMP_NUM_THREADS=5 %t.new > %t.5.txt && diff %t.old.txt %t.5.txt

// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-process-unprofitable -mllvm -polyrs-default-tile-size=4
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=static -mllvm -polyrs-scheduling-chunksize=3
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=dynamic
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=guided -mllvm -polyrs-num-threads=3
// RUN: %{run}
// REDEFINE: %{library} = %gomp
// REDEFINE: %{flags} = -mllvm -polyrs-omp-backend=GNU
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-omp-backend=GNU -mllvm -polyrs-scheduling=dynamic -mllvm -polyrs-num-threads=3
// RUN: %{run}

// DONE: {{ }}17 regions transformed

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -gline-tables-only -I%S/../codegen/Inputs %s -o %t.ll
// RUN: %opt -passes='polyrs<parallel;parallel-force;fatal-bugs>,verify' -pass-remarks-missed=polyrs %t.ll -S -o %t.out.ll 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.out.ll
// RUN: FileCheck %s --check-prefix=SIZE < %t.out.ll
// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force;only-func=shrinking_local>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=LOCAL

#include "dump.h"

#define N 67
static double A[N][N], B[N][N], tmp[N], pair[2][N];
static float C[N][N], few[3];

// The copy is as large as what is touched, and aligned; the array itself is written by the last iteration alone.
// CHECK-LABEL: define {{.*}}@row(
// CHECK: call void {{.*}}@__kmpc_fork_call(
// CHECK-LABEL: define {{.*}}@row.polyrs.body.0(i64 %first, i64 %end,
// CHECK: %[[COPY:.*]] = alloca [536 x i8], align 64
// CHECK: %[[IV:.*]] = phi i64
// CHECK: %[[NEXT:.*]] = add nsw i64 %[[IV]], 1
// CHECK: %[[LAST:.*]] = icmp sge i64 %[[NEXT]],
// CHECK: select i1 %[[LAST]], ptr @tmp, ptr %[[COPY]]
// CHECK-NOT: ptr @tmp
// CHECK: {{^[}]$}}
KERNEL void row(void) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      tmp[j] = A[i][j] * 2.0 + i;
    for (int j = 0; j < N; j++)
      B[i][j] = tmp[j] + tmp[N - 1 - j];
  }
}

// The bounds of the outer loop are not known, those of the copy are.
KERNEL void ranges(int from, int to) {
  for (int i = from; i < to; i++) {
    for (int j = 1; j < N; j++)
      tmp[j] = A[i][j] - A[i][j - 1];
    for (int j = 2; j < N; j++)
      B[i][j] += tmp[j] * tmp[j - 1];
  }
}

// Every third iteration, backwards, two arrays of which one has two dims.
KERNEL void two(int n) {
  for (int i = n - 1; i >= 0; i -= 3) {
    for (int k = 0; k < 3; k++)
      few[k] = C[i][k];
    for (int j = 0; j < N; j++) {
      pair[0][j] = A[i][j];
      pair[1][j] = pair[0][j] * few[2];
    }
    for (int j = 0; j < N; j++)
      C[i][j] = (float)(pair[1][j] - pair[0][N - 1 - j]) + few[0];
  }
}

// A row that grows: the last iteration writes all of it.
KERNEL void growing(void) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= i; j++)
      tmp[j] = A[j][i];
    for (int j = 0; j <= i; j++)
      B[i][j] -= tmp[i - j];
  }
}

// One element, in the loop that threads share.
KERNEL void element(void) {
  for (int i = 0; i < N; i++) {
    tmp[5] = A[i][i] * A[i][i];
    B[i][0] = tmp[5] + 1.0;
  }
}

// The array may be the one that is read: then the original runs.
KERNEL void aliased(double *x, double *scratch) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < 16; j++)
      scratch[j] = x[16 * i + j];
    for (int j = 0; j < 16; j++)
      x[16 * i + j] = scratch[15 - j] * 0.5;
  }
}

// A row that shrinks: what earlier iterations leave behind would be lost.
// REMARK: :[[#@LINE+2]]:{{.*}} threads share an array that each could have a copy of: the last iteration does not write all that is to be left behind
KERNEL void shrinking(void) {
  for (int i = 0; i < N; i++) {
    for (int j = i; j < N; j++)
      tmp[j] = A[j][i] + i;
    for (int j = i; j < N; j++)
      B[i][j] += tmp[j];
  }
}

// The same with a local variable, which nobody reads behind the loop: nothing is lost.
// LOCAL-COUNT-2: #pragma parallel lastprivate(Arr
KERNEL void shrinking_local(void) {
  double own[N];
  for (int i = 0; i < N; i++) {
    for (int j = i; j < N; j++)
      own[j] = A[j][i] + i;
    for (int j = i; j < N; j++)
      B[i][j] += own[j];
  }
  for (int i = 0; i < N; i++) {
    for (int j = i; j < N; j++)
      own[j] = B[j][i] - i;
    for (int j = i; j < N; j++)
      A[i][j] += own[N - 1 + i - j];
  }
}

// Somebody reads elements of it behind the loop.
// REMARK: :[[#@LINE+3]]:{{.*}} threads share an array that each could have a copy of: the last iteration does not write all that is to be left behind
KERNEL double read_local(void) {
  double own[N];
  for (int i = 0; i < N; i++) {
    for (int j = i; j < N; j++)
      own[j] = A[j][i] + i;
    for (int j = i; j < N; j++)
      B[i][j] += own[j];
  }
  return own[N / 2] * own[1];
}

// Its address is handed on.
__attribute__((noinline)) static double middle_of(const double *x) { return x[N / 2]; }
// REMARK: :[[#@LINE+3]]:{{.*}} threads share an array that each could have a copy of: the last iteration does not write all that is to be left behind
KERNEL double handed_on(void) {
  double own[N];
  for (int i = 0; i < N; i++) {
    for (int j = i; j < N; j++)
      own[j] = A[j][i] + i;
    for (int j = i; j < N; j++)
      B[i][j] += own[j];
  }
  return middle_of(own);
}

// The first element comes from the iteration before.
KERNEL void carried(void) {
  for (int i = 0; i < N; i++) {
    for (int j = 1; j < N; j++)
      tmp[j] = A[i][j];
    for (int j = 0; j < N - 1; j++)
      B[i][j] = tmp[j];
    tmp[0] = B[i][N - 2];
  }
}

// Not all that is read is written, so that old values show through.
KERNEL void shown(int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < N; j++)
      if (A[i][j] > 0.0)
        tmp[j] = A[i][j];
    for (int j = 0; j < N; j++)
      B[i][j] = tmp[j];
  }
}

// How much is touched is known only when the loop runs: where copies of that size are too large, one thread runs it.
// SIZE-LABEL: define {{.*}}@unknown(
// SIZE: icmp sle i64 {{.*}}, 65536
// SIZE: br i1 {{.*}}, label %polyrs.pays, label %polyrs.alone
// SIZE-LABEL: define {{.*}}@unknown.polyrs.body.
// SIZE: alloca i8, i64 {{.*}}, align 64
KERNEL void unknown(int n, int m, const double *x, double *restrict y, double *restrict scratch) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      scratch[j] = x[j] + i;
    for (int j = 0; j < m; j++)
      y[i] += scratch[m - 1 - j];
  }
}

// The same with elements that do not begin at the array's beginning.
KERNEL void middle(int n, int from, int to, const double *x, double *restrict y, double *restrict scratch) {
  for (int i = 0; i < n; i++) {
    for (int j = from; j < to; j++)
      scratch[j] = x[j] * i;
    for (int j = from; j < to; j++)
      y[i] += scratch[from + to - 1 - j];
  }
}

static double large[3][9000], huge[9000];

// REMARK: :[[#@LINE+2]]:{{.*}} threads share an array that each could have a copy of: the copies may need more than 64 KiB
KERNEL void too_large(void) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 9000; j++)
      huge[j] = large[i][j] + 3.0;
    for (int j = 0; j < 9000; j++)
      large[i][j] *= huge[8999 - j];
  }
}

int main(void) {
  fill(&A[0][0], N * N, 1);
  fill(&B[0][0], N * N, 2);
  fill(tmp, N, 3);
  fill(&pair[0][0], 2 * N, 4);
  fill(&large[0][0], 3 * 9000, 5);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      C[i][j] = (float)A[j][i];
  row();
  dump("tmp", tmp, sizeof tmp);
  ranges(5, 5);
  ranges(9, 3);
  ranges(4, 5);
  dump("tmp", tmp, sizeof tmp);
  ranges(3, 60);
  dump("tmp", tmp, sizeof tmp);
  two(N - 1);
  two(1);
  dump("few", few, sizeof few);
  dump("pair", pair, sizeof pair);
  growing();
  dump("tmp", tmp, sizeof tmp);
  element();
  dump("tmp", tmp, sizeof tmp);
  static double x[16 * N + 32];
  fill(x, 16 * N + 32, 6);
  aliased(x, x + 16 * N + 8);
  aliased(x, x + 20);
  dump("x", x, sizeof x);
  shrinking();
  dump("tmp", tmp, sizeof tmp);
  shrinking_local();
  double local[2] = {read_local(), handed_on()};
  dump("local", local, sizeof local);
  carried();
  shown(N);
  shown(3);
  dump("tmp", tmp, sizeof tmp);
  unknown(N, N - 3, &A[3][0], &B[5][0], tmp);
  unknown(N, 0, &A[3][0], &B[5][0], tmp);
  unknown(N, -7, &A[3][0], &B[5][0], tmp);
  unknown(3, 9000, &large[0][0], &B[5][0], huge);
  unknown(3, 8193, &large[0][0], &B[5][0], huge);
  unknown(3, 8192, &large[0][0], &B[5][0], huge);
  dump("tmp", tmp, sizeof tmp);
  dump("huge", huge, sizeof huge);
  middle(N, 3, N - 3, &A[3][0], &B[6][0], tmp);
  middle(N, N, 3, &A[3][0], &B[6][0], tmp);
  middle(N, -20, 20, &A[3][0], &B[6][0], tmp + 30);
  middle(3, 8999, 9000, &large[0][0], &B[6][0], huge);
  middle(3, -9000, 0, &large[1][0], &B[6][0], huge + 9000);
  dump("huge", huge, sizeof huge);
  dump("tmp", tmp, sizeof tmp);
  too_large();
  dump("huge", huge, sizeof huge);
  dump("large", large, sizeof large);
  dump("A", A, sizeof A);
  dump("B", B, sizeof B);
  dump("C", C, sizeof C);
}
