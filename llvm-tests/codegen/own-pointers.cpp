// Arrays that pointers of the module's own lead to, allocated when the program starts: alias analysis knows that they
// are apart as long as such a pointer is only read. New code in a function of its own reads it again, nothing is
// tested, and what other functions know stays.

// RUN: %clang -O1 -std=c++14 -march=x86-64-v3 -Xclang -disable-llvm-passes -gline-tables-only -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -polyrs-fatal-bugs -polyrs-verify-ast -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %clang -O3 -std=c++14 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -emit-llvm -S %s -o %t.new.ll
// RUN: FileCheck %s --check-prefix=CODE < %t.new.ll
// RUN: %clang -O3 -std=c++14 -DMAIN -march=x86-64-v3 -ffp-contract=off %s -o %t.old
// RUN: %clang -O3 -std=c++14 -DMAIN -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>
#include <stdlib.h>

#define N 400
static double (*a)[N] = (double (*)[N])malloc(sizeof(double) * N * N);
static double (*b)[N] = (double (*)[N])malloc(sizeof(double) * N * N);
static double (*c)[N] = (double (*)[N])malloc(sizeof(double) * N * N);
static int size[2];
extern "C" void note(int what);

#define FN __attribute__((noinline)) void

void resize(int n) {
  size[0] = n;
  size[1] = n;
}

// A call of a function that the module does not have cannot change the pointers.
// CHECK: own-pointers.cpp:[[#@LINE+4]]:{{[0-9]+}}: loops reordered: {{.*}}rows in 4 lanes
// CODE-LABEL: define {{.*}}turned
FN turned() {
  note(1);
  for (int i = 0; i < size[0]; i++)
    for (int j = 0; j < size[1]; j++)
      b[j][i] = a[i][j];
  note(2);
  for (int i = 0; i < size[0] - 1; i++)
    for (int j = 0; j < size[1] - 1; j++)
      c[j][i] += 2 * b[i][j];
}

// Nothing is in the way of vectors, and nothing has to be tested for them.
// CODE-LABEL: define {{.*}}sum
// CODE-NOT: ptrtoint
// CODE: load <4 x double>
// CODE: ret void
FN sum() {
  for (int i = 0; i < size[0]; i++)
    for (int j = 0; j < size[1]; j++)
      b[i][j] += 2 * a[i][j];
}

// CODE: define internal {{.*}}turned{{.*}}.polyrs.0(i32{{[^(]*}}%{{[^,]*}}, i32{{[^,]*}}){{ }}

#ifdef MAIN
extern "C" void note(int what) { printf("%d\n", what); }

int main() {
  resize(171);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = (i * 7 + j * 3) % 101 / 13.0;
      b[i][j] = c[i][j] = (i + j) % 11;
    }
  turned();
  sum();
  double all = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      all += (b[i][j] + c[i][j]) * ((i * 5 + j) % 9);
  printf("%a\n", all);
}
#endif
