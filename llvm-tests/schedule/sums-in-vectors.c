// Sums that LLVM may split, it computes in vectors: of integers, and of floating point where flags allow it. The
// original order is as fast as that; but where two sums in memory may be at one place, they wait for each other.

// RUN: %clang -O3 -march=znver5 -fpass-plugin=%plugin -S -o /dev/null -Rpass=polyrs -Rpass-missed=polyrs %s 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=znver5 -ffast-math -fpass-plugin=%plugin -S -emit-llvm -o %t.ll -Rpass=polyrs -Rpass-missed=polyrs %s 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.ll

// CHECK: sums-in-vectors.c:[[#@LINE+3]]:3: remark: order of the loops kept: {{.*}}not estimated to be enough faster
// FAST: sums-in-vectors.c:[[#@LINE+2]]:3: remark: order of the loops kept: {{.*}}not estimated to be enough faster
void whole(int n, int A[n][n], int *x, int *y) {
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < n; j++)
      s += A[i][j] * x[j];
    y[i] = s;
  }
}

// CHECK: sums-in-vectors.c:[[#@LINE+3]]:3: remark: loops reordered: {{.*}}rows in 8 lanes
// FAST: sums-in-vectors.c:[[#@LINE+2]]:3: remark: order of the loops kept: {{.*}}not estimated to be enough faster
void real(int n, double A[n][n], double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += A[i][j] * x[j];
    y[i] = s;
  }
}

// CHECK: sums-in-vectors.c:[[#@LINE+6]]:3: remark: loops reordered: {{.*}}rows in 8 lanes
// FAST: sums-in-vectors.c:[[#@LINE+5]]:3: remark: loops reordered: distributed, vectorizable
// IR-LABEL: define {{.*}}@two
// IR: fadd fast <8 x double>
// IR: call fast double @llvm.vector.reduce.fadd.v8f64
void two(int n, double A[n][n], double B[n][n], double *t, double *x, double *y) {
  for (int i = 0; i < n; i++) {
    t[i] = 0;
    y[i] = 0;
    for (int j = 0; j < n; j++) {
      t[i] += A[i][j] * x[j];
      y[i] += B[i][j] * x[j];
    }
    y[i] = 3 * t[i] + y[i];
  }
}
