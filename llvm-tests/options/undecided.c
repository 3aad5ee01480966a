// What the budget leaves undecided stays as it is, and it is said which stage would have needed more: scalars that
// array elements or small arrays could hold, domains that could be split, and elements that registers could hold. With
// steps enough nothing is said.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable;dependences-budget=3000>,verify' -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=SCALARS
// RUN: %opt -passes='polyrs<process-unprofitable;dependences-budget=3000;schedule-budget=5000>,verify' -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=STRIPS
// RUN: %opt -passes='polyrs<process-unprofitable;budget=5000>,verify' -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: %opt -passes='polyrs<process-unprofitable;index-set-splitting;schedule-budget=100>,verify' -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=SPLITS
// RUN: %opt -passes='polyrs<process-unprofitable;optimizer=none;ast-budget=4000>,verify' -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: %opt -passes='polyrs<process-unprofitable>,verify' -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=ENOUGH --allow-empty
// ENOUGH-NOT: remark

// STRIPS: undecided.c:[[#@LINE+5]]:3: local variables get no arrays for strips of the loops: finding out would take more than the budget of the schedule stage allows (raise -polyrs-schedule-budget=)
// Where other stages have spent what the function may, its option is the one that helps.
// WHOLE: undecided.c:[[#@LINE+3]]:3: local variables are not mapped onto arrays: finding out would take more than the budget of the whole function allows (raise -polyrs-budget=)
// SCALARS: undecided.c:[[#@LINE+2]]:3: local variables are not mapped onto arrays: finding out would take more than the budget of the dependences stage allows (raise -polyrs-dependences-budget=)
void product(double *restrict c, const double *restrict a, const double *restrict b, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

double A[300][300];

// ELEMENTS: undecided.c:[[#@LINE+2]]:3: elements stay in memory in some loops: finding out would take more than the budget of the ast stage allows (raise -polyrs-ast-budget=)
void below(void) {
  for (int i = 0; i < 300; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[j][k];
}

// SPLITS: undecided.c:[[#@LINE+2]]:3: domains are not split where a dependence turns: finding out would take more than the budget of the schedule stage allows (raise -polyrs-schedule-budget=)
void reversed(long n, double *a) {
  for (long t = 0; t < 100; t++)
    for (long i = 0; i < n; i++)
      a[i] = 0.5 * a[n - 1 - i] + 0.25;
}
