// Updates that only some iterations make: as choices between the old and the new value they are what they are without
// the condition, where nothing but the update sees the old value. Stores that only some iterations make stay as they
// are.

// REQUIRES: libomp
// DEFINE: %{fast} =
// DEFINE: %{run} = %clang -O3 -I%S/../codegen/Inputs %{fast} -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -mllvm -polyrs-fatal-bugs %s -o %t.new -lomp && env OMP_NUM_THREADS=1 %t.new > %t.1.txt && env OMP_NUM_THREADS=2 %t.new > %t.2.txt && env OMP_NUM_THREADS=5 %t.new > %t.5.txt && diff %t.1.txt %t.2.txt && diff %t.1.txt %t.5.txt

// Without leave to reorder floating point all is as in the original.
// RUN: %clang -O3 -I%S/../codegen/Inputs %s -o %t.old
// RUN: %t.old > %t.old.txt
// RUN: %{run}
// RUN: diff %t.old.txt %t.1.txt
// REDEFINE: %{fast} = -ffast-math
// RUN: %{run}
// REDEFINE: %{fast} = -ffast-math -g
// RUN: %{run}

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.ll
// RUN: %opt -passes='print<polyrs-scops<parallel;parallel-force>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefixes=BOTH,EXACT
// RUN: %clang -O1 -ffast-math -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.fast.ll
// RUN: %opt -passes='print<polyrs-scops<parallel;parallel-force>>' -disable-output %t.fast.ll 2>&1 | FileCheck %s --check-prefixes=BOTH,FAST
// RUN: %clang -O1 -ffast-math -gline-tables-only -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.fast-lines.ll
// RUN: %opt -passes='print<polyrs-scops<parallel;parallel-force>>' -disable-output %t.fast-lines.ll 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=BOTH,LINES
// RUN: %clang -O1 -gline-tables-only -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.lines.ll
// RUN: %opt -passes='polyrs<parallel;parallel-force;process-unprofitable;fatal-bugs>,verify' -pass-remarks-missed=polyrs -disable-output %t.lines.ll 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

#include "dump.h"

#define N 10007
static int A[N], C[N];
static unsigned U[N];
static double D[N];
static int x[16];
static unsigned u[2];
static double d[8];

// BOTH-LABEL: scop sum:0
// BOTH: reduction: add
KERNEL void sum(int n) {
  for (int i = 0; i < n; i++) {
    int old = x[0], new = old + A[i];
    x[0] = C[i] ? new : old;
  }
}

// BOTH-LABEL: scop difference:0
// BOTH: reduction: add
KERNEL void difference(int n) {
  for (int i = 0; i < n; i++) {
    int old = x[1], new = old - A[i];
    x[1] = C[i] > 3 ? old : new;
  }
}

// BOTH-LABEL: scop product:0
// BOTH: reduction: mul
KERNEL void product(int n) {
  for (int i = 0; i < n; i++) {
    int old = x[2], new = old * (A[i] | 1);
    x[2] = C[i] ? new : old;
  }
}

// BOTH-LABEL: scop mask:0
// BOTH: reduction: and
KERNEL void mask(int n) {
  for (int i = 0; i < n; i++) {
    int old = x[3], new = old & A[i];
    x[3] = C[i] == 2 ? new : old;
  }
}

// BOTH-LABEL: scop parity:0
// BOTH: reduction: xor
KERNEL void parity(int n) {
  for (int i = 0; i < n; i++) {
    int old = x[4], new = old ^ A[i];
    x[4] = C[i] ? new : old;
  }
}

// A minimum or maximum is a choice itself.
// BOTH-LABEL: scop largest:0
// BOTH: reduction: umax
KERNEL void largest(int n) {
  for (int i = 0; i < n; i++) {
    unsigned old = u[0], new = U[i];
    u[0] = new > old ? new : old;
  }
}

// A select has no flags where there are debug locations.
// BOTH-LABEL: scop fsum:0
// EXACT-NOT: reduction
// FAST: reduction: fadd
// LINES: reduction: fadd
KERNEL void fsum(int n) {
  for (int i = 0; i < n; i++) {
    double old = d[0], new = old + D[i];
    d[0] = C[i] ? new : old;
  }
}

// BOTH-LABEL: scop fdifference:0
// EXACT-NOT: reduction
// FAST: reduction: fadd
// LINES: reduction: fadd
KERNEL void fdifference(int n) {
  for (int i = 0; i < n; i++) {
    double old = d[2], new = old - D[i];
    d[2] = C[i] > 3 ? old : new;
  }
}

// BOTH-LABEL: scop fproduct:0
// EXACT-NOT: reduction
// FAST: reduction: fmul
// LINES: reduction: fmul
KERNEL void fproduct(int n) {
  for (int i = 0; i < n; i++) {
    double old = d[3], new = old * (0.5 + D[i]);
    d[3] = C[i] ? new : old;
  }
}

// That the sign of a zero does not matter here stands in the flags of the select alone.
// BOTH-LABEL: scop fsmallest:0
// EXACT-NOT: reduction
// FAST: reduction: fmin
// LINES-NOT: reduction
KERNEL void fsmallest(int n) {
  for (int i = 0; i < n; i++) {
    double old = d[1], new = D[i];
    d[1] = old <= new ? old : new;
  }
}

// Whether there is an update depends on the old value.
// BOTH-LABEL: scop seen_before:0
// BOTH-NOT: reduction
// BOTH-LABEL: scop seen_behind:0
// BOTH-NOT: reduction
// REMARK: :[[#@LINE+2]]:{{.*}} loops run in one thread: every loop carries a dependence
KERNEL void seen_before(int n) {
  for (int i = 0; i < n; i++) {
    int old = x[5], new = old + A[i];
    x[5] = old > 5 ? new : old;
  }
}

// REMARK: :[[#@LINE+2]]:{{.*}} loops run in one thread: every loop carries a dependence
KERNEL void seen_behind(int n) {
  for (int i = 0; i < n; i++) {
    int old = x[6], new = old + A[i];
    x[6] = new > 5 ? new : old;
  }
}

// The last one counts, or nearly the largest.
// BOTH-LABEL: scop latest:0
// BOTH-NOT: reduction
// BOTH-LABEL: scop beyond:0
// BOTH-NOT: reduction
// REMARK: :[[#@LINE+2]]:{{.*}} loops run in one thread: every loop carries a dependence
KERNEL void latest(int n) {
  for (int i = 0; i < n; i++) {
    int old = x[7], new = A[i];
    x[7] = C[i] ? new : old;
  }
}

// REMARK: :[[#@LINE+2]]:{{.*}} loops run in one thread: every loop carries a dependence
KERNEL void beyond(int n) {
  for (int i = 0; i < n; i++) {
    int old = x[8], new = A[i];
    x[8] = new > old ? new + 1 : old;
  }
}

// A choice between two values of which one is a minimum is not looked through.
// BOTH-LABEL: scop some_smallest:0
// BOTH-NOT: reduction
// REMARK: :[[#@LINE+2]]:{{.*}} loops run in one thread: every loop carries a dependence
KERNEL void some_smallest(int n) {
  for (int i = 0; i < n; i++) {
    int old = x[9], value = A[i], new = value < old ? value : old;
    x[9] = C[i] ? new : old;
  }
}

// Stores behind a condition on values in memory are no updates: they may happen.
// BOTH-LABEL: scop stored_if_larger:0
// BOTH-NOT: reduction
// BOTH: may_write
// BOTH-LABEL: scop stored_if:0
// BOTH-NOT: reduction
// BOTH: may_write
// REMARK: :[[#@LINE+2]]:{{.*}} loops run in one thread: every loop carries a dependence
KERNEL void stored_if_larger(int n) {
  for (int i = 0; i < n; i++)
    if (A[i] > x[10])
      x[10] = A[i];
}

// REMARK: :[[#@LINE+2]]:{{.*}} loops run in one thread: every loop carries a dependence
KERNEL void stored_if(int n) {
  for (int i = 0; i < n; i++)
    if (C[i])
      x[11] += A[i];
}

int main(void) {
  for (int i = 0; i < N; i++) {
    A[i] = (i * 7919) ^ (i << 16);
    C[i] = i * 31 % 5;
    U[i] = (unsigned)i * 2654435761u;
  }
  fill(D, N, 1);
  x[2] = 3;
  x[3] = -1;
  int sizes[] = {N, 0, 1, 65};
  for (int k = 0; k < 4; k++) {
    int n = sizes[k];
    sum(n);
    difference(n);
    product(n);
    mask(n);
    parity(n);
    largest(n);
    fsum(n);
    fdifference(n);
    fproduct(n);
    fsmallest(n);
    seen_before(n);
    seen_behind(n);
    latest(n);
    beyond(n);
    some_smallest(n);
    stored_if_larger(n);
    stored_if(n);
    dump("x", x, sizeof x);
    dump("u", u, sizeof u);
    dump("d", d, sizeof d);
  }
}
