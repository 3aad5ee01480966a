// Loops behind a test for zero that hold no instance of a statement: the test is all that is left of them, and its
// loops have nothing to do with the statement that bears the same number.
//
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs \
// RUN:   -fno-discard-value-names -Rpass=polyrs -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=NEW < %t.ll

unsigned short first[30][34], second[39], third[34];

// CHECK: nothing.c:[[#@LINE+4]]:3: remark: loops reordered: same order, written anew, if a run-time check allows it
// NEW-LABEL: define {{.*}} @nothing(
// NEW: polyrs.loop
void nothing(int n, int m) {
  for (int i = 0; i < n; i++)
    if (third[i] != 0)
      for (int j = i + 3; j < n - 1; j++)
        if (i - j + 2 > 0)
          if (second[j - 3] > 5)
            second[m - i - 3] = first[j - 3][i];
}
