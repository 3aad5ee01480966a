// A schedule that cannot be written is no reason to leave the loops as they are: a remark says that the file is
// missing.

// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -polyrs-export-jscop -mllvm -polyrs-import-jscop-dir=%t/nowhere -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s

double A[512][512], B[512][512];

// CHECK: :[[@LINE+3]]:3: remark: schedule not exported: cannot write {{.*}}/nowhere/transpose___0.jscop: {{.*}} [-Rpass-missed=polyrs]
// CHECK: :[[@LINE+2]]:3: remark: loops reordered
void transpose(void) {
  for (int j = 0; j < 512; j++)
    for (int i = 0; i < 512; i++)
      A[i][j] = B[i][j] + 1;
}
