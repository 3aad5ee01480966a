; Loops over Rust's inclusive ranges are counted: as the front end writes them, with a flag for the range's end, and as
; other passes rotated them. A counter that rises by two may pass the end, and is left alone.

; RUN: %opt -passes='print<polyrs-scops>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes='polyrs<fatal-bugs;process-unprofitable>,verify' -pass-remarks-missed=polyrs -disable-output %s 2>&1 | FileCheck %s --check-prefix=REMARK

; CHECK-LABEL: scop with_flag:0
; CHECK: domain: [p0] -> { Stmt0[i0] : 1 <= i0 <= p0 }
; CHECK-LABEL: scop rotated:0
; CHECK: domain: [p0] -> { Stmt0[i0] : 1 <= i0 <= p0 }
; CHECK-NOT: scop
; REMARK: not optimized: the number of iterations

define void @with_flag(i64 range(i64 0, 1000) %n, ptr noalias %a) {
entry:
  br label %header
header:
  %flag = phi i8 [ 0, %entry ], [ %flag.next, %body ]
  %i = phi i64 [ 1, %entry ], [ %next, %body ]
  %done = trunc nuw i8 %flag to i1
  %over = icmp ugt i64 %i, %n
  %ends = select i1 %done, i1 true, i1 %over
  br i1 %ends, label %exit, label %body
body:
  %below = icmp ult i64 %i, %n
  %flag.next = select i1 %below, i8 %flag, i8 1
  %rises = zext i1 %below to i64
  %next = add nuw i64 %i, %rises
  %p = getelementptr double, ptr %a, i64 %i
  %v = load double, ptr %p
  %w = fadd double %v, 1.0
  store double %w, ptr %p
  br label %header
exit:
  ret void
}

define void @rotated(i64 range(i64 0, 1000) %n, ptr noalias %a) {
entry:
  %none = icmp eq i64 %n, 0
  br i1 %none, label %exit, label %body
body:
  %i = phi i64 [ 1, %entry ], [ %next, %body ]
  %reached = icmp uge i64 %i, %n
  %below = xor i1 %reached, true
  %rises = zext i1 %below to i64
  %next = add nuw i64 %i, %rises
  %p = getelementptr double, ptr %a, i64 %i
  %v = load double, ptr %p
  %w = fadd double %v, 1.0
  store double %w, ptr %p
  %over = icmp ugt i64 %next, %n
  %ends = select i1 %reached, i1 true, i1 %over
  br i1 %ends, label %exit, label %body
exit:
  ret void
}

define void @by_two(i64 range(i64 0, 1000) %n, ptr noalias %a) {
entry:
  br label %header
header:
  %flag = phi i8 [ 0, %entry ], [ %flag.next, %body ]
  %i = phi i64 [ 1, %entry ], [ %next, %body ]
  %done = trunc nuw i8 %flag to i1
  %over = icmp ugt i64 %i, %n
  %ends = select i1 %done, i1 true, i1 %over
  br i1 %ends, label %exit, label %body
body:
  %below = icmp ult i64 %i, %n
  %flag.next = select i1 %below, i8 %flag, i8 1
  %rises = select i1 %below, i64 2, i64 0
  %next = add nuw i64 %i, %rises
  %p = getelementptr double, ptr %a, i64 %i
  %v = load double, ptr %p
  %w = fadd double %v, 1.0
  store double %w, ptr %p
  br label %header
exit:
  ret void
}
