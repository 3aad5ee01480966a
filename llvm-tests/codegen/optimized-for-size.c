// With -Os a region that needs a run-time check keeps its old code: there is no room for two. The regions beside it are
// transformed.

// RUN: %clang -Os -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-report -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-report -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SPEED

double A[1024][1024], B[1024][1024], C[1024][1024];
void between(void);

void both(int n, double *x, double *y) {
  // CHECK: :[[@LINE+2]]:3: remark: loops reordered: {{.*}}tiled
  // SPEED: :[[@LINE+1]]:3: remark: loops reordered: {{.*}}tiled
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 1024; j++)
      for (int k = 0; k < 1024; k++)
        C[i][j] += A[i][k] * B[k][j];
  between();
  // CHECK: :[[@LINE+2]]:3: remark: loops not optimized: a run-time check needs a second copy of the loops, and the function is optimized for size
  // SPEED: :[[@LINE+1]]:3: remark: loops reordered: {{.*}}, if a run-time check allows it
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      x[i * 1024L + j] = y[i * 1024L + j] + 1.0;
}

// CHECK: 2 regions found
// CHECK: 1 regions rejected
// CHECK-NEXT: 1 CodeSize
// CHECK-NEXT: 1 of these, regions found before
// CHECK-NEXT: 2 regions modelled
// CHECK-NEXT: 2 regions given a new order
// CHECK-NEXT: 0 regions kept in their order
// CHECK: 1 regions transformed
// SPEED: 0 of these, regions found before
// SPEED: 2 regions transformed
