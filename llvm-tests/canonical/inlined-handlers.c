// A callee with handlers of exceptions, inlined into loops: the function has its personality then.

// RUN: %clang -O1 -fexceptions -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=polyrs -S %t.ll | FileCheck %s
// RUN: %clang -O3 -fexceptions -fpass-plugin=%plugin -Rpass=polyrs -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REMARK %s

void use(double *a);
void release(double **a);

static inline void call(double *a) {
  __attribute__((cleanup(release))) double *held = a;
  use(held);
}

// CHECK: define {{.*}}void @handlers({{.*}} personality ptr @__gcc_personality_v0
// CHECK: landingpad
// REMARK: :[[#@LINE+3]]:{{[0-9]+}}: remark: loops reordered
void handlers(double *a, int n, int m) {
  for (int k = 0; k < m; k++) {
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        a[i * n + j] += 1;
    call(a);
  }
}

// Without the call there is nothing to handle.
// CHECK-LABEL: define {{.*}}void @none(
// CHECK-NOT: personality
// CHECK: ret void
void none(double *a, int n, int m) {
  for (int k = 0; k < m; k++) {
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        a[i * n + j] += 1;
  }
}
