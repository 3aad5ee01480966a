// Without steps to find out which loops threads may run, and what they need for themselves, loops stay in one thread,
// and it is said why.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -gline-tables-only %s -o %t.ll
// RUN: %opt -passes='polyrs<parallel;parallel-force;process-unprofitable;parallel-budget=1>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs %t.ll -S 2>&1 | FileCheck %s --check-prefix=SPENT
// RUN: %opt -passes='polyrs<parallel;parallel-force;process-unprofitable>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs %t.ll -S 2>&1 | FileCheck %s

// SPENT: budget.c:[[#@LINE+7]]:{{.*}} threads share an array that each could have a copy of: finding out would take more than the budget of the parallel stage allows (raise -polyrs-parallel-budget=)
// SPENT: budget.c:[[#@LINE+6]]:{{.*}} loops run in one thread: the budget of the parallel stage is spent (raise -polyrs-parallel-budget=)
// SPENT-NOT: kmpc_fork_call
// CHECK-NOT: budget of the parallel stage
// CHECK: budget.c:[[#@LINE+3]]:{{.*}} loops {{.*}}in threads
// CHECK: kmpc_fork_call
void rows(double B[][200], double row[200]) {
  for (int i = 0; i < 1000; i++) {
    row[0] = B[i][0];
    for (int j = 1; j < 200; j++)
      row[j] = row[j - 1] * 0.5 + B[i][j];
    for (int j = 1; j < 200; j++)
      B[i][j] = row[200 - j] + B[i][j - 1];
  }
}
