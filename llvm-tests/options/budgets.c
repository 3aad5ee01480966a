// A spent budget leaves the IR as it was, and the remark names the stage that spent it; with steps enough the region is
// transformed.

// RUN: %clang -O1 -g -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs<process-unprofitable>' -S %t.ll -o %t.new.ll
// RUN: not diff %t.new.ll %t.ll > %t.diff
// RUN: %opt -passes='function(no-op-function)' -S %t.ll -o %t.old.ll
// DEFINE: %{option} =
// DEFINE: %{stage} =
// DEFINE: %{spent} = %opt -passes='polyrs<process-unprofitable;%{option}>' -pass-remarks-missed=polyrs -S %t.ll -o %t.out.ll 2> %t.err && FileCheck %s -DSTAGE='%{stage}' < %t.err && diff %t.old.ll %t.out.ll
// REDEFINE: %{option} = analysis-budget=1
// REDEFINE: %{stage} = model stage
// RUN: %{spent}
// REDEFINE: %{option} = dependences-budget=1
// REDEFINE: %{stage} = dependences stage
// RUN: %{spent}
// REDEFINE: %{option} = schedule-budget=1
// REDEFINE: %{stage} = schedule stage
// RUN: %{spent}
// REDEFINE: %{option} = proof-budget=1
// REDEFINE: %{stage} = proof stage
// RUN: %{spent}
// REDEFINE: %{option} = ast-budget=1
// REDEFINE: %{stage} = ast stage
// RUN: %{spent}
// REDEFINE: %{option} = check-budget=1
// REDEFINE: %{stage} = run-time check stage
// RUN: %{spent}

// Where the function's budget leaves less than a stage may spend, it is the function's that is spent.
// REDEFINE: %{option} = budget=1
// REDEFINE: %{stage} = whole function
// RUN: %{spent}

// CHECK: budgets.c:[[#]]:{{[0-9]+}}: loops not optimized: the budget of the [[STAGE]] is spent
// CHECK-NOT: remark

void product(long n, double *A, double *B, double *C) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        C[i * 512 + j] += A[i * 512 + k] * B[k * 512 + j];
}
