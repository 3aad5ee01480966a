// Transformed code keeps its source lines and stays well-formed with debug information, also where a callee was
// inlined.

// RUN: %clang -O1 -g -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable>,verify' -S %t.ll | FileCheck %s
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs -c %s -o %t.o
// RUN: llvm-dwarfdump --verify %t.o | FileCheck %s --check-prefix=DWARF

double A[512][512], B[512][512];

static double twice(double x) { return x + x; }

// CHECK: define {{.*}}@transposed_sum(){{.*}} !dbg [[SP:![0-9]+]]
// CHECK: fadd double {{.*}} !dbg [[LOC:![0-9]+]]
// CHECK-DAG: [[SP]] = distinct !DISubprogram(name: "transposed_sum"
// CHECK-DAG: [[LOC]] = {{.*}}!DILocation(line:
// DWARF: No errors.
void transposed_sum(void) {
  for (int i = 0; i < 512; i++)
    for (int j = 0; j < 512; j++)
      A[i][j] += twice(B[j][i]);
}

// Stores to variables that stay in memory are tracked by numbers that no two functions may share.
void look(double *);
double tracked(void) {
  double seen[3] = {1.0, 2.0, 3.0};
  for (int i = 0; i < 512; i++)
    for (int j = 0; j < 512; j++)
      A[i][j] += B[j][i];
  look(seen);
  return seen[1];
}
