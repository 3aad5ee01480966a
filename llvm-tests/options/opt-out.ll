; Functions that are not looked at: optnone, minsize, opted out by attribute or annotation, excluded or not selected by
; name.
;
;   void plain(double *a, double *b, long n) { for (long i = 0; i < n; i++) a[i] = b[i]; }
;   __attribute__((annotate("polyrs:off"))) void annotated(...) { same }

; RUN: %opt -passes=polyrs -polyrs-report -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes='polyrs<report;ignore-func=^plain$,nothing>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=IGNORE
; RUN: %opt -passes='polyrs<report;only-func=^pl,^min>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=ONLY
; RUN: %opt -passes=polyrs -polyrs-only-func=xyz -polyrs-report -disable-output %s 2>&1 | FileCheck %s --check-prefix=NONE
; RUN: %opt -passes=polyrs -polyrs=false -polyrs-report -disable-output %s 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty

; CHECK: 6 functions with a loop over memory
; CHECK: 4 functions left alone by attribute or option
; IGNORE: 5 functions left alone by attribute or option
; ONLY: 4 functions left alone by attribute or option
; NONE: 5 functions left alone by attribute or option
; OFF-NOT: functions

@text = private constant [11 x i8] c"polyrs:off\00", section "llvm.metadata"
@other = private constant [10 x i8] c"polyrs:on\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @annotated, ptr @text, ptr @file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @annotated_other, ptr @other, ptr @file, i32 1, ptr null }], section "llvm.metadata"

define void @plain(ptr %a, ptr %b, i64 %n) {
entry:
  br label %head

head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done

body:
  %from = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %from, align 8
  %to = getelementptr inbounds double, ptr %a, i64 %i
  store double %x, ptr %to, align 8
  %next = add nsw i64 %i, 1
  br label %head

done:
  ret void
}

define void @annotated(ptr %a, ptr %b, i64 %n) {
entry:
  br label %head

head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done

body:
  %from = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %from, align 8
  %to = getelementptr inbounds double, ptr %a, i64 %i
  store double %x, ptr %to, align 8
  %next = add nsw i64 %i, 1
  br label %head

done:
  ret void
}

define void @annotated_other(ptr %a, ptr %b, i64 %n) {
entry:
  br label %head

head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done

body:
  %from = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %from, align 8
  %to = getelementptr inbounds double, ptr %a, i64 %i
  store double %x, ptr %to, align 8
  %next = add nsw i64 %i, 1
  br label %head

done:
  ret void
}

define void @optnone(ptr %a, ptr %b, i64 %n) noinline optnone {
entry:
  br label %head

head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done

body:
  %from = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %from, align 8
  %to = getelementptr inbounds double, ptr %a, i64 %i
  store double %x, ptr %to, align 8
  %next = add nsw i64 %i, 1
  br label %head

done:
  ret void
}

define void @minsize(ptr %a, ptr %b, i64 %n) minsize {
entry:
  br label %head

head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done

body:
  %from = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %from, align 8
  %to = getelementptr inbounds double, ptr %a, i64 %i
  store double %x, ptr %to, align 8
  %next = add nsw i64 %i, 1
  br label %head

done:
  ret void
}

define void @attribute(ptr %a, ptr %b, i64 %n) "polyrs-off" {
entry:
  br label %head

head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done

body:
  %from = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %from, align 8
  %to = getelementptr inbounds double, ptr %a, i64 %i
  store double %x, ptr %to, align 8
  %next = add nsw i64 %i, 1
  br label %head

done:
  ret void
}

