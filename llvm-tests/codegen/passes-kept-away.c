// Passes that would only spend time on loops that are written new do not run on them: no induction variables are
// simplified, no loop is looked at for whether it is dead, and no loop around others is unswitched. They run on loops
// of the same function that stay as they were. New code that is deferred they do not see at all; here it is not.

// RUN: %clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs,function(loop-mssa(licm,simple-loop-unswitch<nontrivial>)),function(loop(indvars,loop-deletion))' -polyrs-process-unprofitable -debug-pass-manager -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='polyrs,function(loop-mssa(licm,simple-loop-unswitch<nontrivial>)),function(loop(indvars,loop-deletion))' -polyrs-process-unprofitable -debug-pass-manager -disable-output %t.ll 2>&1 | FileCheck --check-prefix=INNER %s
// RUN: %opt -passes='polyrs,function(loop-mssa(licm,simple-loop-unswitch<nontrivial>)),function(loop(indvars,loop-deletion))' -polyrs-process-unprofitable -debug-pass-manager -disable-output %t.ll 2>&1 | FileCheck --check-prefix=OLD %s

double A[512][512], B[512][512], C[512][512];
int next[512];

// CHECK-NOT: Running pass: {{SimpleLoopUnswitchPass|IndVarSimplifyPass}} on loop %polyrs.loop in function product
// CHECK: Skipping pass: SimpleLoopUnswitchPass on loop %polyrs.loop in function product
// CHECK: Skipping pass: IndVarSimplifyPass on loop %polyrs.loop in function product
// CHECK-NOT: Running pass: {{SimpleLoopUnswitchPass|IndVarSimplifyPass}} on loop %polyrs.loop in function product
// INNER-NOT: Running pass: LoopDeletionPass on loop %polyrs.{{.*}} in function product
// INNER: Running pass: SimpleLoopUnswitchPass on loop {{.*}} in function product
void product(void) {
  for (int i = 0; i < 512; i++)
    for (int j = 0; j < 512; j++)
      for (int k = 0; k < 512; k++)
        C[i][j] += A[i][k] * B[k][j];
}

// OLD: Running pass: IndVarSimplifyPass on loop {{.*}} in function follow
// OLD: Running pass: LoopDeletionPass on loop {{.*}} in function follow
int follow(int at, int n) {
  for (int i = 0; i < n; i++)
    at = next[at];
  return at;
}
