// Calls: unknown functions end a region, mathematical ones do not.

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
