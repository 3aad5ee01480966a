// Sizes that are differences of pointers in memory are bounds: what is made of them does not change in the loops, and
// that a loop runs at all is one condition, not a case for each size.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<polyrs-scops>' -pass-remarks-missed=polyrs -disable-output 2>&1 | FileCheck %s

typedef struct {
  double *begin, *end;
} Vector;

// CHECK-LABEL: scop scale:0
// CHECK: stmt Stmt0
// CHECK-NEXT: domain: {{.*}} { Stmt0[i0, i1] : {{[^;]*}} }
// CHECK: must_write: {{.*}} Stmt0[i0, i1] -> {{Arr[0-9]+}}[o0 = i0, o1 = i1]
void scale(Vector *m, long rows) {
  for (long i = 0; i < rows; i++)
    for (unsigned long j = 0; j < (unsigned long)(m[0].end - m[0].begin); j++)
      m[i].begin[j] *= 2;
}

// Each row has its own length.
// CHECK: sizes-of-vectors.c:[[#@LINE+4]]:{{.*}}not optimized: the number of iterations of this loop is not an affine function
// CHECK-NOT: i0, i1
void ragged(Vector *m, long rows) {
  for (long i = 0; i < rows; i++)
    for (unsigned long j = 0; j < (unsigned long)(m[i].end - m[i].begin); j++)
      m[i].begin[j] *= 2;
}
