; A function's address that a phi brings, the function's own as well, is a value like any other.

; RUN: %opt -passes=polyrs -polyrs-fatal-bugs -pass-remarks-missed=polyrs -disable-output %s 2>&1 | FileCheck %s --allow-empty
; CHECK-NOT: internal error

define void @own(ptr %a, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = phi ptr [ %a, %entry ], [ @own, %latch ]
  %slot = getelementptr i64, ptr %p, i64 %i
  store i64 %i, ptr %slot
  br label %latch

latch:
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

declare void @other()

define void @kept(ptr %a, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = phi ptr [ @other, %entry ], [ @kept, %loop ]
  %slot = getelementptr ptr, ptr %a, i64 %i
  store ptr %p, ptr %slot
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
