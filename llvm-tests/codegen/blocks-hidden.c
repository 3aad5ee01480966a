// What is behind the vectorizer does not compare the hundreds of accesses of a block of lanes with each other: a call
// that the analysis of accesses gives up at stands in such a loop meanwhile, and nothing of it is left behind the
// pipeline. A loop with few accesses has none.

// RUN: %clang -O3 -march=znver5 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='default<O3>' -S %t.ll | FileCheck %s
// RUN: %opt -passes='default<O3>' -print-before=loop-load-elim -filter-print-funcs=sweep,product -disable-output %t.ll 2>&1 | FileCheck --check-prefix=BEFORE %s

#define N 1000
double u[N][N], v[N][N], p[N][N], q[N][N], A[N][N], B[N][N], C[N][N];

// BEFORE-LABEL: define {{.*}}@sweep(
// BEFORE: call void @llvm.var.annotation{{.*}} !polyrs.hidden
// CHECK-LABEL: define {{.*}}@sweep(
// CHECK: <8 x double>
// CHECK: ret void
void sweep(double a, double b, double c, double d, double f) {
  for (int i = 1; i < N - 1; i++) {
    v[0][i] = 1.0;
    p[i][0] = 0.0;
    q[i][0] = v[0][i];
    for (int j = 1; j < N - 1; j++) {
      p[i][j] = -c / (a * p[i][j - 1] + b);
      q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1]) /
                (a * p[i][j - 1] + b);
    }
    v[N - 1][i] = 1.0;
    for (int j = N - 2; j >= 1; j--)
      v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
  }
}

// BEFORE-LABEL: define {{.*}}@product(
// BEFORE-NOT: polyrs.hidden
// CHECK-LABEL: define {{.*}}@product(
// CHECK: ret void
void product(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      C[i][j] += A[j][i] * B[i][j];
}

// CHECK-NOT: llvm.var.annotation
// CHECK-NOT: polyrs.hidden
