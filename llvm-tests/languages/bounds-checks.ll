; Rust: loops over ranges with bounds checks of arrays are counted loops without any; of rows of their own lengths each
; row is checked before its loop.
; Made by rustc --crate-type lib -O -C no-prepopulate-passes -C panic=abort --emit llvm-ir of
;
;    #[unsafe(no_mangle)]
;    pub fn columns(a: &mut [[f64; 400]; 400], b: &[[f64; 400]; 400]) {
;        for i in 0..400 {
;            for j in 0..400 {
;                a[i][j] += b[j][i];
;            }
;        }
;    }
;
;    #[unsafe(no_mangle)]
;    pub fn rows_of_their_own(a: &mut [Vec<f64>]) {
;        for i in 0..a.len() {
;            for j in 0..400 {
;                a[i][j] += 1.0;
;            }
;        }
;    }

; RUN: %opt -passes='polyrs<fatal-bugs;process-unprofitable>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes='print<polyrs-scops>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=MODEL

; CHECK: loops reordered: tiled
; CHECK: loops not optimized: this condition is not affine
; CHECK: loops reordered: vectorizable, if a run-time check allows it (assumed: no test ends the program)
; MODEL: stmt Stmt0
; MODEL-NEXT: domain: { Stmt0[i0, i1] : 0 <= i0 <= 399 and 0 <= i1 <= 399 }
; MODEL-LABEL: scop rows_of_their_own
; MODEL: invalid: [p0] -> { : 0 <= p0 <= 399 }
; MODEL: domain: [p0] -> { Stmt0[i0] : 0 <= i0 <= 399 }

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%"alloc::vec::Vec<f64>" = type { %"alloc::raw_vec::RawVec<f64>", i64 }
%"alloc::raw_vec::RawVec<f64>" = type { %"alloc::raw_vec::RawVecInner", %"core::marker::PhantomData<f64>" }
%"alloc::raw_vec::RawVecInner" = type { i64, ptr, %"alloc::alloc::Global" }
%"alloc::alloc::Global" = type {}
%"core::marker::PhantomData<f64>" = type {}

@alloc_a338979b6832979599d486e74b17489c = private unnamed_addr constant [5 x i8] c"r.rs\00", align 1
@alloc_339a52f75ffe3940e12cd7618e69da5b = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_a338979b6832979599d486e74b17489c, [16 x i8] c"\04\00\00\00\00\00\00\00\05\00\00\00\18\00\00\00" }>, align 8
@alloc_587e4616ee9b4e0a7d7332ded364f75b = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_a338979b6832979599d486e74b17489c, [16 x i8] c"\04\00\00\00\00\00\00\00\0E\00\00\00\0D\00\00\00" }>, align 8
@alloc_996257da65dbbc019a23d5f1356cc6e1 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_a338979b6832979599d486e74b17489c, [16 x i8] c"\04\00\00\00\00\00\00\00\0E\00\00\00\11\00\00\00" }>, align 8

; Function Attrs: nounwind nonlazybind uwtable
define void @columns(ptr noalias noundef align 8 dereferenceable(1280000) %a, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(1280000) %b) unnamed_addr #0 {
start:
  %iter1 = alloca [8 x i8], align 8
  %iter = alloca [8 x i8], align 8
  %_5 = alloca [16 x i8], align 8
  %_3 = alloca [16 x i8], align 8
  store i64 0, ptr %iter, align 8
  br label %bb1

bb1:                                              ; preds = %bb8, %start
  call void @llvm.lifetime.start.p0(ptr %_3)
  %_13 = load i64, ptr %iter, align 8, !noundef !3
  %_10 = icmp ult i64 %_13, 400
  br i1 %_10, label %bb5, label %bb6

bb6:                                              ; preds = %bb1
  call void @llvm.lifetime.end.p0(ptr %_3)
  ret void

bb5:                                              ; preds = %bb1
  %_11 = load i64, ptr %iter, align 8, !noundef !3
  %0 = add nuw i64 %_11, 1
  store i64 %0, ptr %iter, align 8
  %1 = getelementptr inbounds i8, ptr %_3, i64 8
  store i64 %_11, ptr %1, align 8
  store i64 1, ptr %_3, align 8
  %2 = getelementptr inbounds i8, ptr %_3, i64 8
  %i = load i64, ptr %2, align 8, !noundef !3
  store i64 0, ptr %iter1, align 8
  br label %bb2

bb2:                                              ; preds = %bb4, %bb5
  call void @llvm.lifetime.start.p0(ptr %_5)
  %_17 = load i64, ptr %iter1, align 8, !noundef !3
  %_14 = icmp ult i64 %_17, 400
  br i1 %_14, label %bb7, label %bb8

bb8:                                              ; preds = %bb2
  call void @llvm.lifetime.end.p0(ptr %_5)
  call void @llvm.lifetime.end.p0(ptr %_3)
  br label %bb1

bb7:                                              ; preds = %bb2
  %_15 = load i64, ptr %iter1, align 8, !noundef !3
  %3 = add nuw i64 %_15, 1
  store i64 %3, ptr %iter1, align 8
  %4 = getelementptr inbounds i8, ptr %_5, i64 8
  store i64 %_15, ptr %4, align 8
  store i64 1, ptr %_5, align 8
  %5 = getelementptr inbounds i8, ptr %_5, i64 8
  %j = load i64, ptr %5, align 8, !noundef !3
  %_8 = icmp ult i64 %j, 400
  br i1 %_8, label %bb3, label %panic

bb3:                                              ; preds = %bb7
  %_9 = icmp ult i64 %i, 400
  br i1 %_9, label %bb4, label %panic2

panic:                                            ; preds = %bb7
; call core::panicking::panic_bounds_check
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 noundef %j, i64 noundef 400, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) @alloc_339a52f75ffe3940e12cd7618e69da5b) #4
  unreachable

bb4:                                              ; preds = %bb3
  %6 = getelementptr inbounds nuw [400 x double], ptr %b, i64 %j
  %7 = getelementptr inbounds nuw double, ptr %6, i64 %i
  %_7 = load double, ptr %7, align 8, !noundef !3
  %8 = getelementptr inbounds nuw [400 x double], ptr %a, i64 %i
  %9 = getelementptr inbounds nuw double, ptr %8, i64 %j
  %10 = getelementptr inbounds nuw [400 x double], ptr %a, i64 %i
  %11 = getelementptr inbounds nuw double, ptr %10, i64 %j
  %12 = load double, ptr %11, align 8, !noundef !3
  %13 = fadd double %12, %_7
  store double %13, ptr %9, align 8
  call void @llvm.lifetime.end.p0(ptr %_5)
  br label %bb2

panic2:                                           ; preds = %bb3
; call core::panicking::panic_bounds_check
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 noundef %i, i64 noundef 400, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) @alloc_339a52f75ffe3940e12cd7618e69da5b) #4
  unreachable
}

; Function Attrs: nounwind nonlazybind uwtable
define void @rows_of_their_own(ptr noalias noundef nonnull align 8 %a.0, i64 noundef range(i64 0, 384307168202282326) %a.1) unnamed_addr #0 {
start:
  %iter1 = alloca [8 x i8], align 8
  %iter = alloca [8 x i8], align 8
  %_5 = alloca [16 x i8], align 8
  %_3 = alloca [16 x i8], align 8
  store i64 0, ptr %iter, align 8
  br label %bb1

bb1:                                              ; preds = %bb7, %start
  call void @llvm.lifetime.start.p0(ptr %_3)
  %_13 = load i64, ptr %iter, align 8, !noundef !3
  %_10 = icmp ult i64 %_13, %a.1
  br i1 %_10, label %bb4, label %bb5

bb5:                                              ; preds = %bb1
  call void @llvm.lifetime.end.p0(ptr %_3)
  ret void

bb4:                                              ; preds = %bb1
  %_11 = load i64, ptr %iter, align 8, !noundef !3
  %0 = add nuw i64 %_11, 1
  store i64 %0, ptr %iter, align 8
  %1 = getelementptr inbounds i8, ptr %_3, i64 8
  store i64 %_11, ptr %1, align 8
  store i64 1, ptr %_3, align 8
  %2 = getelementptr inbounds i8, ptr %_3, i64 8
  %i = load i64, ptr %2, align 8, !noundef !3
  store i64 0, ptr %iter1, align 8
  br label %bb2

bb2:                                              ; preds = %bb8, %bb4
  call void @llvm.lifetime.start.p0(ptr %_5)
  %_17 = load i64, ptr %iter1, align 8, !noundef !3
  %_14 = icmp ult i64 %_17, 400
  br i1 %_14, label %bb6, label %bb7

bb7:                                              ; preds = %bb2
  call void @llvm.lifetime.end.p0(ptr %_5)
  call void @llvm.lifetime.end.p0(ptr %_3)
  br label %bb1

bb6:                                              ; preds = %bb2
  %_15 = load i64, ptr %iter1, align 8, !noundef !3
  %3 = add nuw i64 %_15, 1
  store i64 %3, ptr %iter1, align 8
  %4 = getelementptr inbounds i8, ptr %_5, i64 8
  store i64 %_15, ptr %4, align 8
  store i64 1, ptr %_5, align 8
  %5 = getelementptr inbounds i8, ptr %_5, i64 8
  %j = load i64, ptr %5, align 8, !noundef !3
  %_9 = icmp ult i64 %i, %a.1
  br i1 %_9, label %bb3, label %panic

bb3:                                              ; preds = %bb6
  %_8 = getelementptr inbounds nuw %"alloc::vec::Vec<f64>", ptr %a.0, i64 %i
  %6 = getelementptr inbounds i8, ptr %_8, i64 8
  %_22 = load ptr, ptr %6, align 8, !nonnull !3, !noundef !3
  %7 = icmp ne ptr %_22, null
  call void @llvm.assume(i1 %7)
  %8 = getelementptr inbounds i8, ptr %_8, i64 16
  %_21 = load i64, ptr %8, align 8, !noundef !3
  %_23 = icmp ult i64 %j, %_21
  br i1 %_23, label %bb8, label %panic2

panic:                                            ; preds = %bb6
; call core::panicking::panic_bounds_check
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 noundef %i, i64 noundef %a.1, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) @alloc_587e4616ee9b4e0a7d7332ded364f75b) #4
  unreachable

bb8:                                              ; preds = %bb3
  %_7 = getelementptr inbounds nuw double, ptr %_22, i64 %j
  %9 = load double, ptr %_7, align 8, !noundef !3
  %10 = fadd double %9, 1.000000e+00
  store double %10, ptr %_7, align 8
  call void @llvm.lifetime.end.p0(ptr %_5)
  br label %bb2

panic2:                                           ; preds = %bb3
; call core::panicking::panic_bounds_check
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 noundef %j, i64 noundef %_21, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) @alloc_996257da65dbbc019a23d5f1356cc6e1) #4
  unreachable
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

; core::panicking::panic_bounds_check
; Function Attrs: cold minsize noinline noreturn nounwind nonlazybind optsize uwtable
declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 noundef, i64 noundef, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24)) unnamed_addr #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #3

attributes #0 = { nounwind nonlazybind uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { cold minsize noinline noreturn nounwind nonlazybind optsize uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #4 = { noinline noreturn nounwind }

!llvm.module.flags = !{!0, !1}

!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{i32 2, !"RtLibUseGOT", i32 1}
!3 = !{}
