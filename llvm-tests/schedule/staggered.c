// Loops that all carry something, with a chain of results along the innermost one: tiles in which jammed copies run as
// many chains side by side. The innermost loop counts the sum of two loops, so that no copy waits for the copy before
// it: each runs an iteration behind it. A loop that only has to read before it writes is no chain: LLVM makes vectors
// of it, and it keeps its order.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=polyrs<print-after=ast>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck --check-prefix=SAYS %s

void in_place(int steps, int n, double a[restrict n][n]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = (a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j]) * 0.14;
}

void upwind(int steps, int n, double c, double u[restrict n]) {
  for (int t = 0; t < steps; t++)
    for (int i = n - 1; i > 0; i--)
      u[i] -= c * (u[i] - u[i - 1]);
}

// CHECK: Stmt0(c3, c4 - c3, c5 - 2 * c4)
// CHECK-NEXT: Stmt0(c3, c4 - c3 + 1, c5 - 2 * c4 - 2)
// CHECK-NEXT: Stmt0(c3, c4 - c3 + 2, c5 - 2 * c4 - 4)

// The rows of cut tiles are short, and run beside each other: no large sizes are asked for.
// SAYS: loops reordered: skewed, tiled {{[0-9]+x[0-9]+x[0-9]+}}, unrolled and jammed by 8, if a run-time check
// SAYS: order of the loops kept
