; A loop that nothing but the end of the program leaves: what follows what in its body is told by its back edge, not by a
; block in it that was taken for its end.

; RUN: %opt -passes='print<polyrs-scops>' -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK:      scop tested:0
; CHECK:      invalid: [p0] -> { : 0 <= p0 <= 3 }
; CHECK:      Stmt0[i0, i1] : 0 <= i0 <= 7 and 2 <= i1 <= 33 and i1 >= i0 - 1 }
; CHECK:      Stmt1[i0, i1] : i0 <= 7 and 2 <= i1 <= i0 - 2 }
define void @tested(ptr %out, i64 %size) {
entry:
  br label %again

again:
  br label %rows

rows:
  %i = phi i32 [ 0, %again ], [ %i.next, %row.end ]
  br label %columns

columns:
  %j = phi i64 [ 2, %rows ], [ %j.next, %latch ]
  %j.next = add i64 %j, 1
  %wide = zext i32 %i to i64
  %apart = sub i64 %j, %wide
  %before = icmp slt i64 %apart, -1
  br i1 %before, label %check, label %latch

check:
  %at = add i64 %j, -2
  %inside = icmp ugt i64 %size, %at
  br i1 %inside, label %latch, label %panic

latch:
  %value = phi i16 [ 1, %columns ], [ 0, %check ]
  %last = icmp eq i64 %j.next, 34
  br i1 %last, label %row.end, label %columns

row.end:
  store i16 %value, ptr %out, align 2
  %i.next = add i32 %i, 1
  %done = icmp eq i32 %i, 7
  br i1 %done, label %again, label %rows

panic:
  store volatile i32 0, ptr null, align 4
  unreachable
}

; The same without any end.
; CHECK:      scop forever:0
; CHECK:      Stmt0[i0, i1] : 0 <= i0 <= 7 and 2 <= i1 <= 33 and i1 >= i0 - 1 }
; CHECK:      Stmt1[i0, i1] : i0 <= 7 and 2 <= i1 <= i0 - 2 }
define void @forever(ptr %out) noreturn {
entry:
  br label %again

again:
  br label %rows

rows:
  %i = phi i32 [ 0, %again ], [ %i.next, %row.end ]
  br label %columns

columns:
  %j = phi i64 [ 2, %rows ], [ %j.next, %latch ]
  %j.next = add i64 %j, 1
  %wide = zext i32 %i to i64
  %apart = sub i64 %j, %wide
  %before = icmp slt i64 %apart, -1
  br i1 %before, label %arm, label %latch

arm:
  %place = getelementptr inbounds i16, ptr %out, i64 %j
  store i16 5, ptr %place, align 2
  br label %latch

latch:
  %value = phi i16 [ 1, %columns ], [ 0, %arm ]
  %last = icmp eq i64 %j.next, 34
  br i1 %last, label %row.end, label %columns

row.end:
  store i16 %value, ptr %out, align 2
  %i.next = add i32 %i, 1
  %done = icmp eq i32 %i, 7
  br i1 %done, label %again, label %rows
}
