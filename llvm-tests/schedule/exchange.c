// Schedules through files: the region's model and order are written, an order written by hand is taken if it is legal,
// and refused with two instances if it is not.

// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t/in.ll
// RUN: %opt -passes=polyrs -polyrs-export-jscop -polyrs-import-jscop-dir=%t -disable-output %t/in.ll
// RUN: FileCheck %s --check-prefix=EXPORT < %t/stencil___0.jscop

// The exported order is legal.
// RUN: %opt -passes=polyrs -polyrs-import-jscop -polyrs-import-jscop-dir=%t -pass-remarks=polyrs -disable-output %t/in.ll 2>&1 | FileCheck %s --check-prefix=LEGAL

// Skewed by hand.
// RUN: sed 's/\[i0, i1\] }/[i0 + i1, i0] }/' %t/stencil___0.jscop > %t/stencil___0.jscop.skewed
// RUN: %opt '-passes=print<polyrs-ast>' -polyrs-import-jscop -polyrs-import-jscop-dir=%t -polyrs-import-jscop-postfix=skewed -disable-output %t/in.ll 2>&1 | FileCheck %s --check-prefix=SKEWED

// Loops exchanged.
// RUN: sed 's/\[i0, i1\] }/[i1, i0] }/' %t/stencil___0.jscop > %t/stencil___0.jscop.swapped
// RUN: %opt -passes=polyrs -polyrs-import-jscop -polyrs-import-jscop-dir=%t -polyrs-import-jscop-postfix=swapped -pass-remarks-missed=polyrs -disable-output %t/in.ll 2>&1 | FileCheck %s --check-prefix=ILLEGAL
// RUN: %opt -passes=polyrs -polyrs-import-jscop -polyrs-import-jscop-dir=%t -polyrs-import-jscop-postfix=none -pass-remarks-missed=polyrs -disable-output %t/in.ll 2>&1 | FileCheck %s --check-prefix=MISSING

double a[100][100];

void stencil(void) {
  for (int i = 1; i < 100; i++)
    for (int j = 0; j < 99; j++)
      a[i][j] = a[i - 1][j + 1] * 0.5;
}

// EXPORT: "arrays": [
// EXPORT: "type": "double"
// EXPORT: "name": "stencil:0"
// EXPORT: "kind": "read"
// EXPORT-NEXT: "relation": "{ Stmt0[i0, i1] -> Arr0[o0 = i0 - 1, o1 = i1 + 1] }"
// EXPORT: "domain": "{ Stmt0[i0, i1] : 1 <= i0 <= 99 and 0 <= i1 <= 98 }"
// EXPORT: "schedule": "{ Stmt0[i0, i1] -> [i0, i1] }"
// LEGAL: loops reordered: as imported
// SKEWED: for (c0 = 1; c0 <= 197; c0++)
// SKEWED: Stmt0(c1, c0 - c1)
// ILLEGAL: order of the loops kept: the schedule in {{.*}}stencil___0.jscop.swapped is illegal: Stmt0[{{[0-9]+, [0-9]+}}] must run after Stmt0[{{[0-9]+, [0-9]+}}] (RAW dependence) but does not
// MISSING: stencil___0.jscop.none cannot be read
