// The run-time check: none where nothing needs testing, then the old code goes; pointers that may overlap are compared
// by the bytes that the loops touch; read-only ones are not compared.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable;optimizer=none;fatal-bugs>,verify' %t.ll -S -o %t.out.ll
// RUN: FileCheck %s < %t.out.ll

// CHECK-LABEL: define {{.*}} @unconditional
// CHECK-NOT: br i1
// CHECK: polyrs.loop:
// CHECK: br i1 {{.*}}label %polyrs.loop, label %polyrs.exit
// CHECK-NOT: br i1
// CHECK: {{^[}]$}}
double A[300];
void unconditional(void) {
  for (int i = 0; i < 300; i++)
    A[i] *= 2.0;
}

// CHECK-LABEL: define {{.*}} @restricted
// CHECK-NOT: ptrtoint
// CHECK: {{^[}]$}}
void restricted(long n, double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    a[i] = b[i];
}

// CHECK-LABEL: define {{.*}} @overlap
// CHECK: polyrs.check:
// CHECK-DAG: ptrtoint ptr %1 to i64
// CHECK-DAG: ptrtoint ptr %2 to i64
// CHECK: icmp sle i128
// CHECK: icmp sle i128
// CHECK: br i1 {{.*}}, label %polyrs.start, label %polyrs.region
void overlap(int n, double *a, const double *b) {
  for (int i = 0; i < n; i++)
    a[i] = b[i + 1];
}

// Three pointers, two of them read-only: two pairs of two comparisons.
// CHECK-LABEL: define {{.*}} @three
// CHECK: polyrs.check:
// CHECK-COUNT-4: icmp sle i128
// CHECK-NOT: icmp sle i128
// CHECK: polyrs.start:
void three(int n, double *a, const double *b, const double *c) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] + c[i];
}
