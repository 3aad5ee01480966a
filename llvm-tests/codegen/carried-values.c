// Rows of a stencil in place run side by side, each with a chain of its own through memory: what an iteration stores
// and the next one loads is in registers before LLVM looks for such values, and LLVM compares no accesses then. Where
// it is not known how far rows are apart, the search is left to LLVM.

// RUN: %clang -O3 -march=x86-64-v3 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='default<O3>' -print-before=loop-load-elim -filter-print-funcs=known,unknown.polyrs.0 -S %t.ll -o %t.after.ll 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=AFTER --input-file=%t.after.ll %s
// RUN: %clang -O3 -march=native -DMAIN %s -o %t.plain
// RUN: %clang -O3 -march=native -fpass-plugin=%plugin -DMAIN %s -o %t.new
// RUN: %t.plain > %t.plain.txt
// RUN: %t.new > %t.new.txt
// RUN: cmp %t.plain.txt %t.new.txt

#define N 500
double A[N][N];

// CHECK-LABEL: define {{.*}}@known(
// CHECK: [[FIRST:%polyrs.first[0-9]*]] = load double
// CHECK: phi double [ [[FIRST]], {{%.*}} ], [ %[[#]], {{%.*}} ]
// CHECK: call void @llvm.var.annotation{{.*}} !polyrs.hidden
// CHECK: ret void
__attribute__((noinline)) void known(int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i <= N - 2; i++)
      for (int j = 1; j <= N - 2; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] +
                   A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
}

// CHECK-LABEL: define {{.*}}@unknown.polyrs.0(
// CHECK: polyrs.loop
// CHECK-NOT: polyrs.first
// CHECK-NOT: polyrs.hidden
// CHECK: ret void
__attribute__((noinline)) void unknown(int steps, int n, double B[n][n]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i <= n - 2; i++)
      for (int j = 1; j <= n - 2; j++)
        B[i][j] = (B[i - 1][j - 1] + B[i - 1][j] + B[i - 1][j + 1] + B[i][j - 1] + B[i][j] + B[i][j + 1] +
                   B[i + 1][j - 1] + B[i + 1][j] + B[i + 1][j + 1]) / 9.0;
}

// AFTER-NOT: polyrs.hidden

#ifdef MAIN
int printf(const char *, ...);
int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = (i * 7 + j * 13) % 31 / 3.0;
  known(9);
  unknown(9, N, A);
  for (int i = 0; i < N; i += 3)
    for (int j = 0; j < N; j++)
      printf("%a\n", A[i][j]);
}
#endif
