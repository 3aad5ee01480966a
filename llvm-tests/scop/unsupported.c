// What must stay where it is: volatile and atomic accesses, exits from the middle of a loop, changing pointers.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

// CHECK: unsupported.c:[[#@LINE+3]]:{{.*}}not optimized: this volatile access must stay where it is
void volatile_store(int n, volatile double *A) {
  for (int i = 0; i < n; i++)
    A[i] = 1.0;
}

// CHECK: unsupported.c:[[#@LINE+2]]:{{.*}}not optimized:
void search(int n, double *A, double *B) {
  for (int i = 0; i < n; i++) {
    B[i] = 1.0;
    if (A[i] == 0.0)
      break;
  }
}

// CHECK: unsupported.c:[[#@LINE+3]]:{{.*}}not optimized: the pointer accessed here changes inside the loops
void pointers(int n, double *A, double **next) {
  for (int i = 0; i < n; i++, A = next[(long)A[0]])
    A[0] = 1.0;
}

// CHECK: unsupported.c:[[#@LINE+3]]:{{.*}}not optimized: nothing here writes to memory
double reads(int n, double *A) {
  double s = 0.0;
  for (int i = 0; i < n; i++)
    s += A[i];
  return s;
}
// CHECK-NOT: scop
