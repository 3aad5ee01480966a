// Options that decide what is done: each changes the loops.

// RUN: %clang -O1 -fno-discard-value-names -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<polyrs-ast<process-unprofitable;tile-sizes=16,8,4>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: %opt -passes='print<polyrs-ast<process-unprofitable;default-tile-size=24>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=DEFAULT
// RUN: %opt -passes='print<polyrs-ast<process-unprofitable;tiling=false>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=UNTILED
// RUN: %opt -passes='print<polyrs-ast<optimizer=none>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %opt -passes='polyrs<optimizer=none;report>,verify' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=REGENERATED
// RUN: %opt -passes='print<polyrs-scops<use-ir-names>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=NAMES
// RUN: %opt -passes='polyrs<max-stmts=1;report>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: %opt -passes='polyrs<max-instructions=20;report>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: %opt -passes='polyrs<analysis-budget=1;report>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=SPENT
// RUN: %opt -passes='polyrs<dependences-budget=1;report>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=SPENT
// RUN: %opt -passes='polyrs<schedule-budget=1;report>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=SPENT
// RUN: %opt -passes='polyrs<process-unprofitable;ast-budget=1;report>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=SPENT

// SIZES: {{[*] 16|16 [*]}}
// SIZES: {{[*] 8|8 [*]}}
// DEFAULT: {{[*] 24|24 [*]}}
// UNTILED: for (
// UNTILED-NOT: floord
// NONE: for (c0 = 0; c0 <= {{.*}}- 1; c0++)
// NONE-NEXT: for (c1 = 0; c1 <= {{.*}}- 1; c1++)
// NONE-NEXT: for (c2 = 0; c2 <= {{.*}}- 1; c2++)
// REGENERATED: 1 regions transformed
// NAMES: [rows, inner
// LARGE: 1 regions rejected
// LARGE-NEXT: TooLarge
// SPENT: 1 regions given up: budget spent

double A[512][512], B[512][512], C[512][512], D[512];

void product(int rows, int inner) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++)
      for (int k = 0; k < inner; k++) {
        C[i][j] += A[i][k] * B[k][j];
        D[k] = A[k][i];
      }
}
