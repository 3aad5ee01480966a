; Two loads of one size become one, which promises no more than both did: the first alone would be poison where the
; second is a number outside of the range.
;
;   void f(double *a, const int *p, int n) {
;     for (int i = 0; i < n; i++) {
;       a[*p] = 1.0;      // *p from 0 to 99, says the first load
;       if (i % 2) a[*p + i] = 2.0;
;     }
;   }

; RUN: %opt -passes='polyrs<print-after=canonicalize;stop-after=canonicalize>' -disable-output %s 2>&1 | FileCheck %s

; CHECK: load i32, ptr %p
; CHECK-NOT: !range
; CHECK-NOT: load i32
; CHECK: ret void
define void @f(ptr noalias %a, ptr %p, i32 %n) {
entry:
  %enter = icmp sgt i32 %n, 0
  br i1 %enter, label %loop, label %exit

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %first = load i32, ptr %p, align 4, !tbaa !0, !range !6
  %first.wide = sext i32 %first to i64
  %first.at = getelementptr inbounds double, ptr %a, i64 %first.wide
  store double 1.0, ptr %first.at, align 8, !tbaa !4
  %odd = and i32 %i, 1
  %is.odd = icmp ne i32 %odd, 0
  br i1 %is.odd, label %then, label %latch

then:
  %second = load i32, ptr %p, align 4, !tbaa !0
  %sum = add nsw i32 %second, %i
  %second.wide = sext i32 %sum to i64
  %second.at = getelementptr inbounds double, ptr %a, i64 %second.wide
  store double 2.0, ptr %second.at, align 8, !tbaa !4
  br label %latch

latch:
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"int", !2, i64 0}
!2 = !{!"omnipotent char", !3, i64 0}
!3 = !{!"Simple C/C++ TBAA"}
!4 = !{!5, !5, i64 0}
!5 = !{!"double", !2, i64 0}
!6 = !{i32 0, i32 100}
