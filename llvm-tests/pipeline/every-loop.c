// Every loop of the user's ends with one outcome and is told of in one remark, those too that no stage gets to see:
// loops around calls and memory intrinsics, without memory, without an end, without an iteration, and loops of
// functions that are left alone.

// RUN: %clang -w -O1 -gline-tables-only -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs<report;fatal-bugs>' -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='polyrs<max-instructions=5>' -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: %opt -passes='polyrs<only-func=^copies$>' -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=ONLY
// RUN: %opt -passes='polyrs<inject-panic=canonicalize>' -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=PANIC

typedef unsigned long size_t;
void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t), *memset(void *, int, size_t);
void unknown(int);

// LARGE: every-loop.c:[[@LINE+6]]:3: loops not optimized: the region is too large to be analysed in the time allowed ({{[0-9]+}} instructions in the function)
// LARGE: every-loop.c:[[@LINE+8]]:3: loops not optimized: the region is too large
// PANIC: every-loop.c:[[@LINE+4]]:3: loops not optimized: internal error: panic injected
// PANIC: every-loop.c:[[@LINE+6]]:3: loops not optimized: internal error: panic injected
void copies(char *a, char *b, int n) {
  // CHECK-DAG: every-loop.c:[[@LINE+2]]:5: loops not optimized: this call may read or write memory
  for (int i = 0; i < n; i++)
    memmove(a + 8 * i, b + 16 * i, 9);
  // CHECK-DAG: every-loop.c:[[@LINE+2]]:5: loops not optimized: this call may read or write memory
  for (int i = 0; i < n; i++)
    memset(a + 8 * i, 0, 9);
  // CHECK-DAG: every-loop.c:[[@LINE+1]]:3: order of the loops kept
  for (int i = 0; i < n; i++)
    memcpy(a + 8 * i, b + 16 * i, 8);
}

// ONLY: every-loop.c:[[@LINE+3]]:3: loops not optimized: the function is left alone (-polyrs-only-func)
void calls(int n) {
  // CHECK-DAG: every-loop.c:[[@LINE+2]]:5: loops not optimized: this call may read or write memory
  for (int i = 0; i < n; i++)
    unknown(i);
}

int counts(int n) {
  int s = 0;
  // CHECK-DAG: every-loop.c:[[@LINE+1]]:3: loops not optimized: nothing here writes to memory
  for (int i = 0; i < n; i++)
    s += i * i;
  return s;
}

void forever(int *a, int n) {
  // CHECK-DAG: every-loop.c:[[@LINE+1]]:3: loops not optimized: this loop has several exits or may not end (no exit)
  for (;;) {
    // CHECK-DAG: every-loop.c:[[@LINE+1]]:5: order of the loops kept
    for (int i = 0; i < n; i++)
      a[i]++;
    // CHECK-DAG: every-loop.c:[[@LINE+2]]:7: loops not optimized: this call may read or write memory
    for (int i = 0; i < n; i++)
      unknown(i);
  }
}

void null(int n) {
  int *p = 0;
  // CHECK-DAG: every-loop.c:[[@LINE+1]]:3: order of the loops kept
  for (int i = 0; i < n; i++)
    p[i] = i;
}

void undefined_bound(int *a) {
  int n;
  // CHECK-DAG: every-loop.c:[[@LINE+1]]:3: loops not optimized: nothing is left of this loop
  for (int i = 0; i < n; i++)
    a[i] = i;
}

void once(int *a, int n) {
  // CHECK-DAG: every-loop.c:[[@LINE+1]]:3: loops not optimized: nothing is left of this loop
  for (int i = 0; i < 1; i++)
    a[i] = i;
  // CHECK-DAG: every-loop.c:[[@LINE+1]]:3: loops not optimized: nothing is left of this loop
  for (int i = 0; i < n; i++) {
  }
}

__attribute__((optnone, noinline)) void debugged(int *a, int n) {
  // CHECK-DAG: every-loop.c:[[@LINE+1]]:3: loops not optimized: the function is left alone (optnone)
  for (int i = 0; i < n; i++)
    a[i] = i;
}

__attribute__((minsize)) void small(int *a, int n) {
  // CHECK-DAG: every-loop.c:[[@LINE+1]]:3: loops not optimized: the function is left alone (minsize)
  for (int i = 0; i < n; i++)
    a[i] = i;
}

__attribute__((annotate("polyrs:off"))) void off(int *a, int n) {
  // CHECK-DAG: every-loop.c:[[@LINE+1]]:3: loops not optimized: the function is left alone (polyrs:off)
  for (int i = 0; i < n; i++)
    a[i] = i;
}

void computed_jumps(int *a, int n) {
  static void *const table[] = {&&up, &&down};
  // CHECK-DAG: every-loop.c:[[@LINE+1]]:3: loops not optimized: the function has computed jumps
  for (int i = 0; i < n; i++) {
    goto *table[i & 1];
  up:
    a[i]++;
    continue;
  down:
    a[i]--;
  }
}

void several_exits(int *a, int n) {
  // CHECK-DAG: every-loop.c:[[@LINE+1]]:3: loops not optimized: this loop has several exits or may not end (2 exits, in lines 114, 115)
  for (int i = 0; i < n; i++) {
    if (a[i] == 3)
      return;
    a[i] = 1;
  }
}

void several_ends(int *a, int n, int k) {
  switch (k) {
  case 0:
    // CHECK-DAG: every-loop.c:[[@LINE+1]]:5: order of the loops kept
    for (int i = 0; i < n; i++)
      a[i] = 1;
    return;
  case 1:
    // CHECK-DAG: every-loop.c:[[@LINE+1]]:5: order of the loops kept
    for (int i = 0; i < n; i++)
      a[i] = 2;
    return;
  default:
    // CHECK-DAG: every-loop.c:[[@LINE+2]]:16: loops not optimized: this subscript is not an affine function
    for (int i = 0; i < n; i++)
      a[i * i] = 3;
  }
}

// CHECK: 5 regions found
// CHECK: 15 regions rejected
// CHECK: 5 regions kept in their order
// CHECK: 0 regions transformed
