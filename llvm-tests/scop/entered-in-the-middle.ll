; Two nests one after the other, and a way to the second one that passes by the first: what LLVM makes of a sum whose
; loop may have no iteration. They are two regions: of one region only the first block is entered from outside.

; RUN: %opt -passes=polyrs -polyrs-process-unprofitable -polyrs-print-after=detect -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes=polyrs -polyrs-process-unprofitable -polyrs-fatal-bugs -S %s | FileCheck %s --check-prefix=IR

; CHECK: region bb4 => bb12: 8 blocks, 3 loops
; CHECK-NEXT: region bb13 => bb21: 6 blocks, 1 loops

; IR-LABEL: define void @kernel(
; IR: polyrs

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

@A = global [40 x float] zeroinitializer
@B = global [1157 x float] zeroinitializer
@C = global [41 x float] zeroinitializer

define void @kernel(i32 %n, i32 %m) {
entry:
  %positive = icmp sgt i32 %n, 0
  br i1 %positive, label %some, label %second

some:
  %v5 = zext nneg i32 %n to i64
  %v6 = icmp slt i32 %m, 0
  br i1 %v6, label %zeros, label %sums

sums:
  br label %rows

zeros:
  %v9 = mul nuw nsw i64 %v5, %v5
  %v10 = shl nuw i64 %v9, 2
  call void @llvm.memset.p0.i64(ptr nonnull align 16 @B, i8 0, i64 %v10, i1 false)
  br label %done

rows:
  %v12 = phi i32 [ %v30, %row.end ], [ 0, %sums ]
  %v13 = phi ptr [ %v29, %row.end ], [ @B, %sums ]
  br label %columns

terms:
  %v15 = phi i32 [ 0, %columns ], [ %v18, %terms ]
  %v16 = phi float [ 0.000000e+00, %columns ], [ %v17, %terms ]
  %v17 = fadd float %v16, 1.250000e+00
  %v18 = add nuw i32 %v15, 1
  %v19 = icmp eq i32 %v15, %m
  br i1 %v19, label %sum, label %terms

columns:
  %v21 = phi i64 [ 0, %rows ], [ %v26, %sum ]
  %v22 = phi ptr [ %v13, %rows ], [ %v25, %sum ]
  br label %terms

sum:
  %v24 = phi float [ %v17, %terms ]
  store float %v24, ptr %v22, align 4
  %v25 = getelementptr inbounds nuw i8, ptr %v22, i64 4
  %v26 = add nuw nsw i64 %v21, 1
  %v27 = icmp eq i64 %v26, %v5
  br i1 %v27, label %row.end, label %columns

row.end:
  %v29 = phi ptr [ %v25, %sum ]
  %v30 = add nuw nsw i32 %v12, 1
  %v31 = icmp eq i32 %v30, %n
  br i1 %v31, label %nest.end, label %rows

nest.end:
  br label %second

second:
  %v34 = icmp sgt i32 %m, 1
  br i1 %v34, label %moves, label %done

moves:
  %v36 = add nsw i32 %m, -1
  %v37 = zext nneg i32 %v36 to i64
  br label %move

moves.end:
  br label %done

done:
  ret void

move:
  %v41 = phi i64 [ 0, %moves ], [ %v50, %move.next ]
  %v42 = getelementptr inbounds nuw float, ptr @C, i64 %v41
  %v43 = load float, ptr %v42, align 4
  %v44 = fcmp ogt float %v43, 5.000000e+00
  br i1 %v44, label %copy, label %move.next

copy:
  %v46 = getelementptr inbounds nuw float, ptr @A, i64 %v41
  %v47 = load float, ptr %v46, align 4
  %v48 = getelementptr inbounds nuw i8, ptr %v42, i64 4
  store float %v47, ptr %v48, align 4
  br label %move.next

move.next:
  %v50 = add nuw nsw i64 %v41, 1
  %v51 = icmp eq i64 %v50, %v37
  br i1 %v51, label %moves.end, label %move
}
