// Statements that need not share loops have loops of their own where the cost model expects these to be faster: of two
// products that read a matrix by rows and by columns, one walks across its rows in shared loops. What the user says
// goes before.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-ast>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt '-passes=print<polyrs-ast<fusion=max>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=MAX

double A[2000][2000], x[2000], y[2000], s[2000], t[2000];

void across(void) {
  for (int i = 0; i < 2000; i++)
    for (int j = 0; j < 2000; j++)
      s[i] += A[i][j] * x[j];
  for (int i = 0; i < 2000; i++)
    for (int j = 0; j < 2000; j++)
      t[i] += A[j][i] * y[j];
}

// CHECK: {{^}}for (
// CHECK: Stmt0(
// CHECK: {{^}}for (
// CHECK: Stmt1(

// MAX: {{^}}for (
// MAX-NOT: {{^}}for (
// MAX: Stmt1(
