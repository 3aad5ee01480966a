; Stores to undef, poison and null, and of undef: loops without defined effect are left alone or made anew, and nothing
; breaks.
;
;   for (long i = 0; i < n; i++) <undef>[i] = 1;

; RUN: %opt -passes='polyrs<report;process-unprofitable;fatal-bugs>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs -S %s -o %t.ll 2>&1 | FileCheck %s
; RUN: FileCheck %s --check-prefix=CODE < %t.ll

; undefined, poisoned
; CHECK: loops not optimized: nothing is left of this loop after simplification
; CHECK-NEXT: loops not optimized: nothing is left of this loop after simplification
; nowhere, nowhere_valid
; CHECK-NEXT: loops reordered
; CHECK-NEXT: loops reordered
; indefinite
; CHECK-NEXT: loops not optimized: nothing is left of this loop after simplification
; CHECK: 2 regions transformed

; CODE-LABEL: @undefined(
; CODE: store double 1.000000e+00
; CODE-LABEL: @nowhere_valid(
; CODE: store double 1.000000e+00, ptr {{%.*}}
; CODE-LABEL: @indefinite(
; CODE: store double undef


define void @undefined(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %to = getelementptr inbounds double, ptr undef, i64 %i
  store double 1.0, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @poisoned(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %to = getelementptr double, ptr poison, i64 %i
  store double 1.0, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @nowhere(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %to = getelementptr double, ptr null, i64 %i
  store double 1.0, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @nowhere_valid(i64 %n) null_pointer_is_valid {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %to = getelementptr double, ptr null, i64 %i
  store double 1.0, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @indefinite(i64 %n, ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %to = getelementptr double, ptr %a, i64 %i
  store double undef, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
