// Inside a loop that is no part of the region, its counter is a parameter; addresses stay in elements.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -disable-output 2>&1 | FileCheck %s

void tick(void);
double A[40][200];

// CHECK-LABEL: scop moved:0
// CHECK: array Arr0 memory f64 [*, 200]
// CHECK: must_write: {{.*}} -> Arr0[o0 = i1, o1 = p{{[0-9]}} + i0] }
void moved(int steps, int n) {
  for (int t = 0; t < steps; t++) {
    tick();
    for (int j = 0; j < n; j++)
      for (int i = 0; i < 30; i++)
        A[i][j + t] += 1.0;
  }
}
