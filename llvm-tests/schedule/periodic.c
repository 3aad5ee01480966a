// Periodic stencils as C writes them: branches at the ends, ends peeled off the loop, subscripts that wrap by a
// condition or a remainder. Each is split in the middle and tiled over time; without the option, each keeps the order
// of its time steps.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=branches -polyrs-index-set-splitting \
// RUN:   -polyrs-process-unprofitable %t.ll 2>&1 | FileCheck --check-prefix=SPLIT %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=peeled -polyrs-index-set-splitting \
// RUN:   -polyrs-process-unprofitable %t.ll 2>&1 | FileCheck --check-prefix=SPLIT %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=wrapped -polyrs-index-set-splitting \
// RUN:   -polyrs-process-unprofitable %t.ll 2>&1 | FileCheck --check-prefix=SPLIT %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=by_constant -polyrs-index-set-splitting \
// RUN:   -polyrs-process-unprofitable %t.ll 2>&1 | FileCheck --check-prefix=SPLIT %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=by_parameter -polyrs-index-set-splitting \
// RUN:   -polyrs-process-unprofitable %t.ll 2>&1 | FileCheck --check-prefix=SPLIT %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=by_size -polyrs-index-set-splitting \
// RUN:   -polyrs-process-unprofitable %t.ll 2>&1 | FileCheck --check-prefix=SPLIT %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=torus -polyrs-index-set-splitting \
// RUN:   -polyrs-process-unprofitable %t.ll 2>&1 | FileCheck --check-prefix=QUARTERS %s
// RUN: %clang -O1 -march=x86-64-v3 -DM=2003 -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.large.ll
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=torus -polyrs-index-set-splitting %t.large.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=QUARTERS %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=torus_by_constant -polyrs-index-set-splitting \
// RUN:   -polyrs-process-unprofitable %t.ll 2>&1 | FileCheck --check-prefix=QUARTERS %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=torus_by_parameter -polyrs-index-set-splitting \
// RUN:   -polyrs-process-unprofitable %t.ll 2>&1 | FileCheck --check-prefix=QUARTERS %s
// RUN: %opt '-passes=print<polyrs-scops>' -disable-output -polyrs-only-func='by_parameter|by_size' -polyrs-process-unprofitable \
// RUN:   %t.ll 2>&1 | FileCheck --check-prefix=ASSUMED %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func='unrelated|turned|behind|all' -polyrs-index-set-splitting \
// RUN:   -polyrs-process-unprofitable -pass-remarks-missed=polyrs %t.ll 2>&1 | FileCheck --check-prefix=OTHER %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=plane -polyrs-index-set-splitting \
// RUN:   -polyrs-process-unprofitable %t.ll 2>&1 | FileCheck --check-prefix=PLANE %s
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-process-unprofitable \
// RUN:   -polyrs-only-func='branches|peeled|wrapped|by_constant|by_parameter' %t.ll 2>&1 | FileCheck --check-prefix=WHOLE %s
// RUN: %clang -O3 -I%S/../codegen/Inputs %s -o %t.old
// RUN: %clang -O3 -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -mllvm -polyrs-index-set-splitting -mllvm -polyrs-tile-sizes=5 -mllvm -polyrs-report %s -o %t.new 2>&1 | FileCheck %s
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}14 regions transformed

// Both halves of the copied array, the far one counted from its end, in tiles that start together.
// SPLIT: tiled in diamonds
// SPLIT: domain:
// SPLIT: schedule: {{.*}}floor({{.*}} - i1

// Both dimensions in halves, their far ones counted from the end, in tiles over time.
// QUARTERS: tiled in diamonds
// QUARTERS: child:
// QUARTERS-NEXT: mark: "tile(
// QUARTERS: schedule: {{.*}}-{{ ?}}i2

// Tiles over time and the other dimension need no split.
// PLANE: tiled in diamonds
// PLANE-NOT: Stmt4

// What the loop's bounds do not prove of the divisor is tested at run time.
// ASSUMED: scop by_parameter
// ASSUMED: invalid: [p0] -> { : 1073741825 <= p0 <= 2147483647 }
// ASSUMED: scop by_size
// ASSUMED: invalid: {{.*}} : p0 = 1 }

// Remainders that may wrap more than once, or are negative, stay what they are.
// OTHER-COUNT-2: not optimized: this subscript is not an affine function
// OTHER-NOT: diamonds

// WHOLE-NOT: diamonds
// WHOLE: domain
// WHOLE-NOT: diamonds

#include "dump.h"

#define N 1003
#ifndef M
#define M 307
#endif
#define STEPS 41

double a[N], b[N], u[M][M], v[M][M];

KERNEL void branches(void) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 0; i < N; i++) {
      if (i == 0)
        b[i] = 0.25 * a[N - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
      else if (i == N - 1)
        b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[0];
      else
        b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
    }
    for (int i = 0; i < N; i++)
      a[i] = b[i];
  }
}

KERNEL void peeled(void) {
  for (int t = 0; t < STEPS; t++) {
    b[0] = 0.25 * a[N - 1] + 0.5 * a[0] + 0.25 * a[1];
    for (int i = 1; i < N - 1; i++)
      b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
    b[N - 1] = 0.25 * a[N - 2] + 0.5 * a[N - 1] + 0.25 * a[0];
    for (int i = 0; i < N; i++)
      a[i] = b[i];
  }
}

KERNEL void wrapped(void) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 0; i < N; i++)
      b[i] = 0.25 * a[i == 0 ? N - 1 : i - 1] + 0.5 * a[i] + 0.25 * a[i == N - 1 ? 0 : i + 1];
    for (int i = 0; i < N; i++)
      a[i] = b[i];
  }
}

KERNEL void by_constant(void) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 0; i < N; i++)
      b[i] = 0.25 * a[(i + N - 1) % N] + 0.5 * a[i] + 0.25 * a[(i + 1) % N];
    for (int i = 0; i < N; i++)
      a[i] = b[i];
  }
}

KERNEL void by_parameter(int n) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 0; i < n; i++)
      b[i] = 0.25 * a[(i + n - 1) % n] + 0.5 * a[i] + 0.25 * a[(i + 1) % n];
    for (int i = 0; i < n; i++)
      a[i] = b[i];
  }
}

// With one element, each neighbour is two rounds away.
KERNEL void by_size(unsigned long n) {
  for (int t = 0; t < STEPS; t++) {
    for (unsigned long i = 0; i < n; i++)
      b[i] = 0.25 * a[(i + n - 1) % n] + 0.5 * a[i] + 0.25 * a[(i + 2) % n];
    for (unsigned long i = 0; i < n; i++)
      a[i] = b[i];
  }
}

// The loop's bound says nothing of the divisor.
KERNEL void unrelated(int n, int m) {
  for (int i = 0; i < n; i++)
    b[i] = a[(i + 1) % m];
}

// Nor does it of a divisor that changes.
KERNEL void turned(int n) {
  for (int t = 1; t < n; t++)
    for (int i = 0; i < n; i++)
      b[i] += a[(i + 1) % t];
}

// The first remainder is -1.
KERNEL void behind(int n) {
  for (int i = 0; i < n; i++)
    b[i] = a[(i - 1) % n + 1];
}

// Two rounds, the remainder being zero in both.
KERNEL void all(int n) {
  for (int i = 0; i <= 2 * n; i++)
    b[i] = a[i % n];
}

// Periodic in one of two dimensions.
KERNEL void plane(void) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 1; i < M - 1; i++) {
      v[i][0] = 0.2 * (u[i][M - 1] + u[i][0] + u[i][1] + u[i - 1][0] + u[i + 1][0]);
      for (int j = 1; j < M - 1; j++)
        v[i][j] = 0.2 * (u[i][j - 1] + u[i][j] + u[i][j + 1] + u[i - 1][j] + u[i + 1][j]);
      v[i][M - 1] = 0.2 * (u[i][M - 2] + u[i][M - 1] + u[i][0] + u[i - 1][M - 1] + u[i + 1][M - 1]);
    }
    for (int i = 1; i < M - 1; i++)
      for (int j = 0; j < M; j++)
        u[i][j] = v[i][j];
  }
}

KERNEL void torus(void) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 0; i < M; i++)
      for (int j = 0; j < M; j++)
        v[i][j] = 0.2 * (u[i][j] + u[i == M - 1 ? 0 : i + 1][j] + u[i == 0 ? M - 1 : i - 1][j] + u[i][j == M - 1 ? 0 : j + 1] +
                         u[i][j == 0 ? M - 1 : j - 1]);
    for (int i = 0; i < M; i++)
      for (int j = 0; j < M; j++)
        u[i][j] = v[i][j];
  }
}

KERNEL void torus_by_constant(void) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 0; i < M; i++)
      for (int j = 0; j < M; j++)
        v[i][j] = 0.2 * (u[i][j] + u[(i + 1) % M][j] + u[(i + M - 1) % M][j] + u[i][(j + 1) % M] + u[i][(j + M - 1) % M]);
    for (int i = 0; i < M; i++)
      for (int j = 0; j < M; j++)
        u[i][j] = v[i][j];
  }
}

KERNEL void torus_by_parameter(int n) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        v[i][j] = 0.2 * (u[i][j] + u[(i + 1) % n][j] + u[(i + n - 1) % n][j] + u[i][(j + 1) % n] + u[i][(j + n - 1) % n]);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        u[i][j] = v[i][j];
  }
}

int main(void) {
  fill(a, N, 1);
  branches();
  dump("a", a, sizeof a);
  peeled();
  dump("a", a, sizeof a);
  wrapped();
  dump("a", a, sizeof a);
  by_constant();
  dump("a", a, sizeof a);
  by_parameter(N);
  by_size(N - 2);
  dump("a", a, sizeof a);
  for (int n = -3; n < 5; n++) {
    by_parameter(n);
    by_size(n > 0 ? n : 0);
    unrelated(N, n ? n : 7);
    turned(n);
    behind(n);
    if (n != 0)
      all(n);
    dump("a", a, sizeof a);
    dump("b", b, sizeof b);
  }
  fill(&u[0][0], M * M, 2);
  plane();
  for (int i = 1; i < M; i += 61)
    dump("u", u[i], sizeof u[i]);
  torus();
  torus_by_constant();
  torus_by_parameter(M);
  for (int n = -1; n < 6; n++)
    torus_by_parameter(n);
  for (int i = 0; i < M; i += 34)
    dump("u", u[i], sizeof u[i]);
}
