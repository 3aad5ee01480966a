; The libraries' loops count in 64 bits: on a target with narrower pointers everything stays in one thread.

; RUN: %opt -passes='polyrs<parallel;parallel-force;process-unprofitable;fatal-bugs>,verify' %s -S | FileCheck %s
; RUN: sed 's/p:32:32-//' %s | %opt -passes='polyrs<parallel;parallel-force;process-unprofitable;fatal-bugs>,verify' -S | FileCheck %s --check-prefix=WIDE

; CHECK-NOT: kmpc
; WIDE: call void {{.*}} @__kmpc_fork_call

target datalayout = "e-p:32:32-i64:64"

define void @add(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr double, ptr %a, i64 %i
  %v = load double, ptr %p
  %w = fadd double %v, 1.0
  store double %w, ptr %p
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 100000
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
