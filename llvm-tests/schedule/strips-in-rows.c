// Strips that a work array's rows are made for are no rows of the user's: the sizes from which on new code pays do not
// grow with them.

// RUN: %clang -O3 -march=x86-64-v3 -fno-discard-value-names -fpass-plugin=%plugin -Rpass=polyrs -S -emit-llvm %s -o - 2>&1 | FileCheck %s

// CHECK: remark: loops reordered: {{.*}}work arrays in rows for strips
// CHECK-LABEL: define {{.*}} @apply(
// CHECK: icmp sgt i32 %nr, 0
void apply(int nr, int nq, int np, double A[nr][140][160], double C4[160][160], double sum[160]) {
  for (int r = 0; r < nr; r++)
    for (int q = 0; q < nq; q++) {
      for (int p = 0; p < np; p++) {
        sum[p] = 0;
        for (int s = 0; s < np; s++)
          sum[p] += A[r][q][s] * C4[s][p];
      }
      for (int p = 0; p < np; p++)
        A[r][q][p] = sum[p];
    }
}
