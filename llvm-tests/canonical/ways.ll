; What an iterator returns is a pointer, or null at the end, which the loop compares: both ways get blocks of their own,
; and the loop ends by what the iterator compared. A pointer of which nothing is known stays compared.

; RUN: %opt -passes='print<polyrs-scops>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes='polyrs<fatal-bugs;process-unprofitable>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %s 2>&1 | FileCheck %s --check-prefix=REMARK

; CHECK-LABEL: scop next:0
; CHECK: domain: [p0] -> { Stmt0[i0] : 0 <= i0 < p0 }
; CHECK-LABEL: scop twice:0
; CHECK: domain: [p0] -> { Stmt0[i0] : 0 <= i0 < p0 }
; CHECK-NOT: scop
; REMARK: loops reordered
; REMARK: loops reordered
; REMARK: not optimized: {{.*}}

define void @next(i64 range(i64 0, 1000) %n, ptr nonnull noalias %a) {
entry:
  br label %header
header:
  %i = phi i64 [ 0, %entry ], [ %i.new, %body ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %some, label %merged
some:
  %next = add nuw nsw i64 %i, 1
  %at = getelementptr inbounds nuw double, ptr %a, i64 %i
  br label %merged
merged:
  %i.new = phi i64 [ %next, %some ], [ %i, %header ]
  %p = phi ptr [ %at, %some ], [ null, %header ]
  %none = icmp eq ptr %p, null
  br i1 %none, label %exit, label %body
body:
  %v = load double, ptr %p
  %w = fadd double %v, 1.0
  store double %w, ptr %p
  br label %header
exit:
  ret void
}

; As above, and an adapter around it that returns the same with a number.
define void @twice(i64 range(i64 0, 1000) %n, ptr nonnull noalias %a) {
entry:
  br label %header
header:
  %i = phi i64 [ 0, %entry ], [ %i.new, %body ]
  %k = phi i64 [ 0, %entry ], [ %k.new, %body ]
  %old = phi i64 [ undef, %entry ], [ %number, %body ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %some, label %merged
some:
  %next = add nuw nsw i64 %i, 1
  %at = getelementptr inbounds nuw double, ptr %a, i64 %i
  br label %merged
merged:
  %i.new = phi i64 [ %next, %some ], [ %i, %header ]
  %p = phi ptr [ %at, %some ], [ null, %header ]
  %none = icmp eq ptr %p, null
  br i1 %none, label %outer, label %numbered
numbered:
  %k.next = add i64 %k, 1
  br label %outer
outer:
  %k.new = phi i64 [ %k.next, %numbered ], [ %k, %merged ]
  %number = phi i64 [ %k, %numbered ], [ %old, %merged ]
  %q = phi ptr [ %p, %numbered ], [ null, %merged ]
  %over = icmp eq ptr %q, null
  br i1 %over, label %exit, label %body
body:
  %r = getelementptr double, ptr %a, i64 %number
  %v = load double, ptr %r
  %w = fadd double %v, 1.0
  store double %w, ptr %r
  br label %header
exit:
  ret void
}

define void @unknown(i64 range(i64 0, 1000) %n, ptr noalias %a, ptr noalias %table) {
entry:
  br label %header
header:
  %i = phi i64 [ 0, %entry ], [ %i.new, %body ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %some, label %merged
some:
  %next = add nuw nsw i64 %i, 1
  %slot = getelementptr inbounds nuw ptr, ptr %table, i64 %i
  %at = load ptr, ptr %slot
  br label %merged
merged:
  %i.new = phi i64 [ %next, %some ], [ %i, %header ]
  %p = phi ptr [ %at, %some ], [ null, %header ]
  %none = icmp eq ptr %p, null
  br i1 %none, label %exit, label %body
body:
  store double 1.0, ptr %p
  br label %header
exit:
  ret void
}
