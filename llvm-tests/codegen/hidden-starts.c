// What innermost loops of new code start from is opaque to code generation, whose loop strength reduction would take it
// apart at length: rows as pointers that keep what they are based on, numbers frozen. Last in the pipeline, so not
// before linking, and not in functions that stay as they were, nor in original loops beside new ones.

// RUN: %clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='default<O3>' -polyrs-process-unprofitable -polyrs-pattern-matching-based-opts=false -S %t.ll | FileCheck %s
// RUN: %opt -passes='thinlto-pre-link<O3>' -polyrs-process-unprofitable -polyrs-pattern-matching-based-opts=false -S %t.ll | FileCheck --check-prefix=BEFORE %s
// RUN: %opt -passes='default<O3>' -polyrs=false -S %t.ll | FileCheck --check-prefix=BEFORE %s

double A[500][500], B[500][500], C[500][500];
int next[512];

// CHECK-LABEL: define {{.*}}@product(
// CHECK: getelementptr {{.*}}ptr @C
// CHECK: call ptr @llvm.strip.invariant.group.p0(ptr
// CHECK: load <
// BEFORE-NOT: strip.invariant.group
void product(void) {
  for (int i = 0; i < 500; i++)
    for (int j = 0; j < 500; j++)
      for (int k = 0; k <= i; k++)
        C[i][j] += A[i][k] * B[k][j];
}

// CHECK-LABEL: define {{.*}}@follow(
// CHECK-NOT: freeze
// CHECK-NOT: strip.invariant.group
// CHECK: ret i32
int follow(int at, int n) {
  for (int i = 0; i < n; i++)
    at = next[at];
  return at;
}

// CHECK-LABEL: define {{.*}}@beside(
// CHECK-NOT: freeze
// CHECK-NOT: strip.invariant.group
// CHECK: {{^}$}}
// CHECK-LABEL: define internal {{.*}}void @beside.polyrs.0(
// CHECK: call ptr @llvm.strip.invariant.group.p0(ptr
void beside(int n, double a[n][n], double b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[j][i] += a[i][j];
}
