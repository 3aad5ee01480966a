// An element that every way through a branch on data writes is surely written; one that some way leaves alone may be.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | %opt -passes='print<polyrs-scops>' -disable-output 2>&1 \
// RUN:   | FileCheck %s

// CHECK-LABEL: scop both:0
// CHECK: must_write: {{.*}} -> Arr0[o0 = i0]
// CHECK-NEXT: must_write: {{.*}} -> Arr0[o0 = i0]
// CHECK-NEXT: must_write: {{.*}} -> Arr0[o0 = i0]
void both(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    if (b[i] > 0.5)
      a[i] = 1.0;
    else if (b[i] > 0.25)
      a[i] = b[i];
    else
      a[i] = -1.0;
}

// CHECK-LABEL: scop some:0
// CHECK: may_write: {{.*}} -> Arr0[o0 = i0]
// CHECK-NEXT: may_write: {{.*}} -> Arr0[o0 = i0]
void some(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    if (b[i] > 0.5)
      a[i] = 1.0;
    else if (b[i] > 0.25)
      a[i] = b[i];
}

// Neighbours are other elements.
// CHECK-LABEL: scop neighbours:0
// CHECK: may_write: {{.*}} -> Arr0[o0 = i0]
// CHECK-NEXT: may_write: {{.*}} -> Arr0[o0 = i0 + 1]
void neighbours(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    if (b[i] > 0.5)
      a[i] = 1.0;
    else
      a[i + 1] = b[i];
}
