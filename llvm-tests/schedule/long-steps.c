// Addresses that move by 4 GiB or more in one iteration are nothing that LLVM's code generation gets right: orders with
// such steps are refused, and smaller ones are taken.

// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t/in.ll
// RUN: %opt -passes=polyrs -polyrs-export-jscop -polyrs-import-jscop-dir=%t -disable-output %t/in.ll
// RUN: sed 's/-> \[[^]]*\] }"$/-> [i0, i1 + 1073741825i0] }"/' %t/sums___0.jscop > %t/sums___0.jscop.long
// RUN: sed 's/-> \[[^]]*\] }"$/-> [i0, i1 + 1073741824i0] }"/' %t/sums___0.jscop > %t/sums___0.jscop.short
// RUN: %opt -passes=polyrs -polyrs-import-jscop -polyrs-import-jscop-dir=%t -polyrs-import-jscop-postfix=long -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %t/in.ll 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: %opt -passes=polyrs -polyrs-import-jscop -polyrs-import-jscop-dir=%t -polyrs-import-jscop-postfix=short -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %t/in.ll 2>&1 | FileCheck %s --check-prefix=SHORT

// LONG: loops not optimized: an address would move by 4 GiB or more in one iteration, which LLVM does not compile right
// SHORT: loops reordered: as imported
float V[160];
void sums(void) {
  for (int i = 0; i < 17; i++)
    for (int j = 0; j < 13; j++)
      V[i + j] = V[i + j] * 0.5f + 1;
}
