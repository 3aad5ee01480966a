// Code that waits comes back also where a call of it is one that exceptions may leave, and functions that are written
// as a whole throw none.

// RUN: %clang -O3 -g -march=x86-64-v3 -Xclang -disable-llvm-passes -emit-llvm -c %s -o %t.bc
// RUN: %opt -passes='default<O3>' -verify-each -S %t.bc -o - | FileCheck %s
// RUN: %opt -passes=polyrs -S %t.bc -o - | FileCheck %s --check-prefix=WRITTEN

double A[300][300], B[300][300], C[300][300];
double norm(const double *row) noexcept(false);
struct Guard {
  ~Guard();
};

__attribute__((always_inline)) inline void product(double by) {
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 300; j++)
      for (int k = 0; k < 300; k++)
        C[i][j] += A[i][k] * B[k][j] * by;
  norm(C[1]);
}

// CHECK-NOT: polyrs-deferred
// CHECK-LABEL: define {{.*}} @_Z5clampi(
// CHECK: polyrs.loop
// CHECK: call {{.*}} @_ZL5leastii({{.*}}!dbg
// CHECK-LABEL: define {{.*}} @_Z6callerv(
// CHECK-NOT: @{{[^ ]*}}polyrs.0
// CHECK: call {{.*}}void @polyrs.contraction
// CHECK-NOT: polyrs-deferred
// WRITTEN: define internal void @polyrs.contraction{{[^(]*}}(ptr %0) #[[WHOLE:[0-9]+]]
// WRITTEN: attributes #[[WHOLE]] = { {{.*}}nounwind

// A call that is moved out of a loop keeps a position: without one it could not be inlined in a function with debug
// information.
__attribute__((noinline)) static int least(int a, int b) { return a < b ? a : b; }
void clamp(int most) {
  for (int j = 0; j < 300; j++)
    for (int i = 0; i < 300; i++)
      C[i][j] = A[i][j] * B[i][j] + least(i, most);
}

double caller() {
  Guard guard;
  product(2.0);
  return norm(C[0]);
}
