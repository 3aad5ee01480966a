// Calls: unknown functions end a region, mathematical ones do not; nor do those that read what no loop writes.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

void unknown(double *);
double sqrt(double);
double fabs(double);

// CHECK: calls.c:[[#@LINE+6]]:{{.*}}not optimized: this call may read or write memory
// CHECK-NOT: scop bad
void bad(int n, double *A) {
  for (int i = 0; i < n; i++)
  {
    A[i] = 1.0;
    unknown(A + i);
  }
}

// CHECK-LABEL: scop good:0
void good(int n, double *A) {
  for (int i = 0; i < n; i++)
    A[i] = sqrt(fabs(A[i]));
}

// CHECK-LABEL: scop between:0
// CHECK: schedule: [0, i0, 0]
// CHECK: schedule: [1, i0, 0]
// CHECK-LABEL: scop between:1
void between(double *A) {
  for (int i = 0; i < 100; i++)
    A[i] = 1.0;
  for (int i = 0; i < 99; i++)
    A[i] += 1.0;
  unknown(A);
  for (int i = 0; i < 100; i++)
    A[i] = 2.0;
}

double look_up(const double *, int) __attribute__((pure));

// CHECK-LABEL: scop reads:0
// CHECK: must_write: {{.*}}[i0] -> Arr0[o0 = i0]
void reads(int n, double *restrict A, const double *T) {
  for (int i = 0; i < n; i++)
    A[i] += look_up(T, i);
}

__attribute__((noinline)) static double inner(const double *p, int k) { return k < 0 ? p[0] : p[k]; }

// CHECK-LABEL: scop reads_here:0
void reads_here(int n, double *restrict A, const double *T) {
  for (int i = 0; i < n; i++)
    A[i] += inner(T, i);
}

// CHECK: calls.c:[[#@LINE+4]]:{{.*}}not optimized: this call may read or write memory
// CHECK-NOT: scop reads_written
void reads_written(int n, double *restrict A) {
  for (int i = 0; i < n; i++)
    A[i] += look_up(A, i);
}

// CHECK: calls.c:[[#@LINE+4]]:{{.*}}not optimized: this call may read or write memory
// CHECK-NOT: scop may_write
void may_write(int n, double *A, const double *T) {
  for (int i = 0; i < n; i++)
    A[i] += inner(T, i);
}

__attribute__((noinline)) static double weight(double x, double y) {
  double sum = sqrt(x);
  for (int k = 0; k < 4; k++)
    sum = sum * y + k;
  return sum;
}

// A function that computes from its arguments touches no array, whatever it is called for.
// CHECK-LABEL: scop computes_here:0
void computes_here(int n, double *A, const double *T) {
  for (int i = 0; i < n; i++)
    A[i] += weight(T[i], A[i]);
}

double last;
__attribute__((noinline)) static double noted(double x) {
  last = x;
  return x * x;
}

// CHECK: calls.c:[[#@LINE+4]]:{{.*}}not optimized: this call may read or write memory
// CHECK-NOT: scop notes
void notes(int n, double *A) {
  for (int i = 0; i < n; i++)
    A[i] += noted(A[i]);
}

double _Complex products[100];
// The library's product of complex numbers is one, too.
// CHECK-LABEL: scop complex:0
void complex(double _Complex by) {
  for (int i = 0; i < 100; i++)
    products[i] *= by;
}
