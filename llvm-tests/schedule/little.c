// Loops that take less than new code has to save keep their order. Where nobody reads why, no other one is looked for:
// the code is the same, and where somebody reads it, what is told compares with the best order.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -S %t.ll -o %t.quick
// RUN: %opt -passes=polyrs -pass-remarks-missed=polyrs -pass-remarks-analysis=polyrs -S %t.ll -o %t.asked 2>&1 | FileCheck %s
// RUN: diff %t.quick %t.asked

void use(double);

void blocks(double a[restrict 8][16], double b[restrict 8][16], double *restrict c, int n) {
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++)
      a[j][i] += b[j][i];
  use(a[0][0]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[j * n + i] += c[j * n + i] * i;
}

// CHECK: remark: {{.*}}order of the loops kept: the loops do too little work for new code to pay
// CHECK: remark: {{.*}}estimated: {{[0-9]+}} cycles in the best new order, {{[0-9]+}} in the original one: 1.{{[1-9]}}
