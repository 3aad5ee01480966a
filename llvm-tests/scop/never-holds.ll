; What the model assumes of wide parameters, that they are below 2^40, cannot hold behind a test that they are above
; 2^50: the region is turned down for that. Behind a test that they are above 1024 it is modelled.
;
;   void never(long n, double *a) { if (n > 1L << 50) { tell(); for (long i = 0; i < n; i++) a[i] = 1; } }
;   void often(long n, double *a) { if (n > 1024) { tell(); for (long i = 0; i < n; i++) a[i] = 1; } }

; RUN: %opt -passes='polyrs<report;process-unprofitable;fatal-bugs>' -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %s 2>&1 | FileCheck %s

; CHECK: loops not optimized: what would have to be assumed of the values in these loops is never true
; CHECK: loops reordered
; CHECK: 1 regions rejected
; CHECK-NEXT: 1 NeverHolds
; CHECK: 1 regions transformed

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @tell()

define void @never(i64 %n, ptr %a) {
entry:
  %large = icmp sgt i64 %n, 1125899906842624
  br i1 %large, label %told, label %done
told:
  call void @tell()
  br label %loop
loop:
  %i = phi i64 [ 0, %told ], [ %next, %loop ]
  %to = getelementptr inbounds double, ptr %a, i64 %i
  store double 1.0, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @often(i64 %n, ptr %a) {
entry:
  %large = icmp sgt i64 %n, 1024
  br i1 %large, label %told, label %done
told:
  call void @tell()
  br label %loop
loop:
  %i = phi i64 [ 0, %told ], [ %next, %loop ]
  %to = getelementptr inbounds double, ptr %a, i64 %i
  store double 1.0, ptr %to, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
