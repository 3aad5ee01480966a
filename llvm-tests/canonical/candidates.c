// Functions in which nothing can be transformed are not cloned where nobody asks why: loops that do not write memory, a
// loop alone that writes once, loops that fill an array as it lies in memory, and innermost loops that call what no
// region can hold. With remarks, with threads or where all is forced they are. A clone whose loops are over after a few
// iterations is dropped at once.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: opt -passes=sroa,early-cse,simplifycfg -S %t.ll -o %t.ssa.ll
// RUN: %opt -passes='polyrs<time>' -S %t.ssa.ll -o %t.quick 2>&1 | FileCheck %s --check-prefix=QUICK
// RUN: %opt -passes='polyrs<time>' -pass-remarks-missed=polyrs -S %t.ssa.ll -o %t.asked 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: diff %t.quick %t.asked
// RUN: %opt -passes='polyrs<time;process-unprofitable>' -disable-output %t.ssa.ll 2>&1 | FileCheck %s --check-prefix=FORCED
// RUN: %opt -passes='polyrs<time;parallel>' -disable-output %t.ssa.ll 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: %opt -passes=polyrs -debug-pass-manager -disable-output %t.ssa.ll 2>&1 | grep -c HoistIndexLoads | FileCheck %s --check-prefix=CANONICAL
// RUN: %opt -passes='polyrs<process-unprofitable>' -debug-pass-manager -disable-output %t.ssa.ll 2>&1 | grep -c HoistIndexLoads | FileCheck %s --check-prefix=ALL

// Two passes of that name for each clone.
// CANONICAL: {{^}}4{{$}}
// ALL: {{^}}12{{$}}

// QUICK: 5 functions cloned
// ASKED: 12 functions cloned
// FORCED: 7 functions cloned
// THREADS: 9 functions cloned

void use(double);
static double twice(double x) { return 2 * x; }

void alone(double *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * a[i];
}

double sum(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}

double sums(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += a[i] * a[j];
  return s;
}

void calls(double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i * n + j] = 0;
      use(a[j]);
    }
}

void indirect(double *a, void (*const *f)(double), int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      f[j](a[j]++);
}

void changing(double *a, volatile int *p, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j] = *p;
}

void fill(double (*a)[100], int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 100; j++)
      a[i][j] = twice(i * j % 7);
}

void block(double a[8][8], double b[8][8]) {
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      a[i][j] += b[j][i];
}

// Those that may gain.

void again(double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j] = i;
}

void nest(double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j] += i;
}

void inlined(double *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] = twice(a[i]);
}

void sometimes(double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (a[j] < 0)
        use(a[j]++);
}
