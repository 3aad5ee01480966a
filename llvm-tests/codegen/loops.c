// The shape of loops: no guard where the bounds or the loops around prove an iteration; rows of arrays are computed
// outside of the innermost loop, which steps by the element alone.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable;optimizer=none;fatal-bugs>,verify' %t.ll -S -o %t.out.ll
// RUN: FileCheck %s < %t.out.ll

// Constant bounds: no guard at all. Loops end at the value that they meet, so that their length is known without
// maxima.
// CHECK-LABEL: define {{.*}} @constant
// CHECK: polyrs.start:
// CHECK-NEXT: br label %polyrs.loop
// CHECK-NOT: polyrs.preheader
// CHECK: icmp ne i64 {{.*}}, 300
// CHECK-NOT: polyrs.preheader
// CHECK: icmp ne i64 {{.*}}, 200
// CHECK-NOT: polyrs.preheader
// CHECK: {{^[}]$}}
double A[200][300];
void constant(void) {
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < 300; j++)
      A[i][j] += 1.0;
}

// One guard: what the outer loop's guard says holds for the inner loop.
// CHECK-LABEL: define {{.*}} @square
// CHECK: polyrs.start:
// CHECK: br i1 {{.*}}, label %polyrs.preheader, label %polyrs.after
// CHECK: [[OUTER:polyrs.loop[0-9]*]]:
// CHECK: [[ROW:%[0-9]+]] = getelementptr i8, ptr %1, i64
// CHECK-NEXT: br label %[[INNER:polyrs.loop[0-9]*]]
// CHECK: [[INNER]]:
// CHECK-NEXT: [[IV:%polyrs.iv[0-9]*]] = phi i64
// CHECK-NEXT: [[AT:%[0-9]+]] = getelementptr [8 x i8], ptr [[ROW]], i64 [[IV]]
// CHECK-NEXT: [[OLD:%[0-9]+]] = load double, ptr [[AT]]
// CHECK-NEXT: [[NEW:%[0-9]+]] = fadd double [[OLD]]
// CHECK-NEXT: store double [[NEW]], ptr [[AT]]
void square(long n, double *a) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[i * n + j] += 1.0;
}

// The carried sum is a phi of the new loop, not memory.
// CHECK-LABEL: define {{.*}} @carried
// CHECK-NOT: alloca
// CHECK: polyrs.loop:
// CHECK: phi double
// CHECK: {{^[}]$}}
void carried(long n, double *restrict a, double *restrict b) {
  double s = 0.0;
  for (long i = 0; i < n; i++) {
    s += a[i];
    b[i] = s;
  }
}
