// Work arrays that each iteration fills before it reads them get a row for each iteration of a strip: the product of a
// vector and a matrix in each iteration becomes one of two matrices. What the last iteration leaves in the array is
// copied back. Results keep their bits, also of the work array; where an iteration reads what an earlier one left, or
// the last one writes less than others, nothing does.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -gline-tables-only -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -pass-remarks-missed=polyrs -polyrs-fatal-bugs -polyrs-verify-ast -S %t.ll -o %t.new.ll \
// RUN:   2>&1 | FileCheck %s
// RUN: %clang -O3 -DMAIN %s -o %t.old
// RUN: %clang -O3 -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.new
// RUN: %clang -O3 -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable \
// RUN:   -mllvm -polyrs-default-tile-size=4 %s -o %t.forced
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: %t.forced > %t.forced.txt
// RUN: diff %t.old.txt %t.new.txt
// RUN: diff %t.old.txt %t.forced.txt

#include <stdio.h>

#define R 3
#define Q 140
#define P 160
#define FN __attribute__((noinline)) void
double A[R][Q][P], B[P][P], sum[P];
float F[Q][P], G[P][P], row[P + 3];

// CHECK-DAG: work-rows.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}work arrays in rows for strips of {{[0-9]+}}{{.*}}packed
FN tensor(int nr, int nq, int np, double a[restrict R][Q][P], double b[restrict P][P], double s[restrict P]) {
  for (int r = 0; r < nr; r++)
    for (int q = 0; q < nq; q++) {
      for (int p = 0; p < np; p++) {
        s[p] = 0;
        for (int k = 0; k < np; k++)
          s[p] += a[r][q][k] * b[k][p];
      }
      for (int p = 0; p < np; p++)
        a[r][q][p] = s[p];
    }
}

// Counted from another number, subscripts that do not begin at 0, the loop that is cut outermost.
// CHECK-DAG: work-rows.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}work arrays in rows for strips of {{[0-9]+}}{{.*}}packed
FN rows(int from, int to) {
  for (int q = from; q < to; q++) {
    for (int p = 0; p < P; p++)
      row[p + 3] = 0.5f;
    for (int p = 0; p < P; p++)
      for (int k = 0; k < P; k++)
        row[p + 3] += F[q][k] * G[k][p];
    for (int p = 0; p < P; p++)
      F[q][p] = row[p + 3] * 0.125f;
  }
}

// What the iteration before left is read.
// CHECK-NOT: work-rows.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}work arrays
FN handed_on(int n) {
  for (int q = 0; q < n; q++) {
    for (int p = 1; p < P; p++) {
      row[p] = row[p - 1] * 0.25f;
      for (int k = 0; k < P; k++)
        row[p] += F[q][k] * G[k][p];
    }
    for (int p = 1; p < P; p++)
      F[q][p] = row[p] * 0.125f;
  }
}

// Shorter and shorter rows: the last iteration does not leave what the first ones wrote.
// CHECK-NOT: work-rows.c:[[#@LINE+2]]:{{[0-9]+}}: loops reordered: {{.*}}work arrays
FN shorter(int n) {
  for (int q = 0; q < n; q++) {
    for (int p = 0; p < P - q; p++) {
      row[p] = 0;
      for (int k = 0; k < P; k++)
        row[p] += F[q][k] * G[k][p];
    }
    for (int p = 0; p < P - q; p++)
      F[q][p] = row[p] * 0.125f;
  }
}

#ifdef MAIN
static void fill(void) {
  for (int k = 0; k < R * Q * P; k++)
    A[0][0][k] = (k * 7 % 23) / 11.0 - 0.9;
  for (int k = 0; k < P * P; k++) {
    B[0][k] = (k * 5 % 19) / 97.0 - 0.1;
    G[0][k] = (k * 3 % 17) / 89.0f - 0.1f;
  }
  for (int k = 0; k < Q * P; k++)
    F[0][k] = (k * 13 % 29) / 17.0f - 0.7f;
  for (int p = 0; p < P; p++)
    sum[p] = row[p] = p;
}

static void show(const char *name, int n) {
  double all = 0;
  for (int k = 0; k < R * Q * P; k++)
    all = all * 1.0000003 + A[0][0][k];
  for (int k = 0; k < Q * P; k++)
    all = all * 1.0000003 + F[0][k];
  for (int p = 0; p < P; p++)
    all = all * 1.0000003 + sum[p] + 3 * row[p];
  printf("%s %d %a\n", name, n, all);
  fill();
}

int main(void) {
  static const int sizes[] = {0, 1, 2, 13, 50, 51, 52, Q};
  fill();
  for (int k = 0; k < 8; k++) {
    int n = sizes[k];
    tensor(R, n, P, A, B, sum), show("tensor", n);
    tensor(n < R ? n : R, Q, 47, A, B, sum), show("tensor", n);
    tensor(R, n, 0, A, B, sum), show("tensor", n);
    rows(0, n), show("rows", n);
    rows(n / 2, n), show("rows", n);
    handed_on(n), show("handed_on", n);
    shorter(n), show("shorter", n);
  }
}
#endif
