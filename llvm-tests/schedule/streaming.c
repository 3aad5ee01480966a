// Every element is used once and the loops already run along the rows: the original order stays, and the user is told.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s

void add(double a[1000][1000], double b[restrict 1000][1000]) {
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 1000; j++)
      b[i][j] += a[i][j];
}

// CHECK: remark: {{.*}}order of the loops kept: the best new order is not estimated to be enough faster than the original one
