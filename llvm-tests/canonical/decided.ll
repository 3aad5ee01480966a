; The test at a loop's end held where the loop goes on: a counter that advances only if there is a next number, as
; Rust's `Range::next` does in rotated loops, and a choice on that test, count. One that advances on another test does
; not.

; RUN: %opt -passes='print<polyrs-scops>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes='polyrs<fatal-bugs;process-unprofitable>,verify' -pass-remarks-missed=polyrs -disable-output %s 2>&1 | FileCheck %s --check-prefix=REMARK

; CHECK-LABEL: scop next:0
; CHECK: must_write: [p0] -> { Stmt0[i0] -> Arr0[o0 = i0] }
; CHECK-NOT: scop
; REMARK: not optimized: the number of iterations

define void @next(i64 range(i64 1, 1000) %n, ptr noalias %a) {
entry:
  br label %body
body:
  %at = phi i64 [ 0, %entry ], [ %at.next, %body ]
  %start = phi i64 [ 1, %entry ], [ %start.next, %body ]
  %p = getelementptr double, ptr %a, i64 %at
  %v = load double, ptr %p
  %w = fadd double %v, 1.0
  store double %w, ptr %p
  %more = icmp ult i64 %start, %n
  %rises = zext i1 %more to i64
  %start.next = add nuw i64 %start, %rises
  %at.next = select i1 %more, i64 %start, i64 %at
  br i1 %more, label %body, label %exit
exit:
  ret void
}

define void @another(i64 range(i64 1, 1000) %n, i64 %m, ptr noalias %a) {
entry:
  br label %body
body:
  %start = phi i64 [ 1, %entry ], [ %start.next, %body ]
  %p = getelementptr double, ptr %a, i64 %start
  %v = load double, ptr %p
  %w = fadd double %v, 1.0
  store double %w, ptr %p
  %more = icmp ult i64 %start, %n
  %other = icmp ult i64 %start, %m
  %rises = zext i1 %other to i64
  %start.next = add nuw i64 %start, %rises
  br i1 %more, label %body, label %exit
exit:
  ret void
}
