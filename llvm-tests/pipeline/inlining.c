// Small functions called in loops are inlined into the clone; functions that asked not to be, recursive ones and those
// that opted out are not. Nothing of it shows in a module that is not transformed.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: opt -S %t.ll -o %t.before
// RUN: %opt -passes='polyrs<print-after=canonicalize;stop-after=canonicalize;only-func=^caller$>' -S %t.ll -o %t.after 2>&1 | FileCheck %s
// RUN: diff %t.before %t.after

static double square_plus(double x, const double *p) { return x * x + *p; }
static void inner(double *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] = square_plus(a[i], a);
}
static __attribute__((noinline)) double refused(double x) { return x + 1; }
static __attribute__((annotate("polyrs:off"))) double opted_out(double x) { return x + 2; }
static int recursive(int n) { return n ? recursive(n - 1) : 0; }

// CHECK-LABEL: define internal void @polyrs.clone
// CHECK-NOT: call {{.*}}@inner
// CHECK-NOT: call {{.*}}@square_plus
// CHECK-DAG: call {{.*}}@refused
// CHECK-DAG: call {{.*}}@opted_out
// CHECK-DAG: call {{.*}}@recursive
// CHECK: ret void
void caller(double *a, int n) {
  for (int i = 0; i < 10; i++) {
    inner(a, n);
    a[i] += refused(a[i]) + opted_out(a[i]) + recursive(i);
  }
}
