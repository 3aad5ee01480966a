// Which loops become one. `max` shares loops wherever that is legal, `none` shares none that need not be, `smart` (the
// default) shares those that touch common data and lose nothing: the two sums read the same matrix, the scaling has
// fewer loops.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-ast<process-unprofitable;tiling=false;fusion=max>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=MAX
// RUN: %opt '-passes=print<polyrs-ast<process-unprofitable;tiling=false;fusion=none>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %opt '-passes=print<polyrs-ast<process-unprofitable;tiling=false>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=SMART
// RUN: not %opt '-passes=print<polyrs-ast<fusion=some>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=WRONG

double A[300][300], x[300], y[300], s[300], t[300];

void sums(void) {
  for (int i = 0; i < 300; i++) {
    s[i] = 0.0;
    for (int j = 0; j < 300; j++)
      s[i] += A[i][j] * x[j];
    for (int j = 0; j < 300; j++)
      t[i] += A[i][j] * y[j];
  }
}

// One outer loop holds everything.
// MAX: for (c0
// MAX: Stmt2(
// MAX-NOT: {{^}}for (

// NONE: {{^}}for (c0
// NONE: {{^}}for (
// NONE: {{^}}for (

// SMART: {{^}}for (c0
// SMART: Stmt0(
// SMART: {{^}}for (
// SMART-NOT: {{^}}for (
// SMART: Stmt1(
// SMART-NOT: {{^}}for (
// SMART: Stmt2(

// WRONG: option 'polyrs-fusion': 'some' is none of max, smart, none
