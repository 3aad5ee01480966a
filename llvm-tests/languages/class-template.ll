; C++: elements reached through a class template, operators and references are those of an array; what a virtual call
; returns is not. Made by clang++ -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -S -emit-llvm of
;
;    template <int Rows, int Columns> struct Matrix {
;      double values[Rows][Columns];
;      double &operator()(int i, int j) { return values[i][j]; }
;      const double &operator()(int i, int j) const { return values[i][j]; }
;    };
;
;    struct Product {
;      const Matrix<300, 200> &a;
;      const Matrix<200, 300> &b;
;      double at(int i, int j, int k) const { return a(i, k) * b(k, j); }
;    };
;
;    void multiply(Matrix<300, 300> &c, const Matrix<300, 200> &a, const Matrix<200, 300> &b) {
;      const Product product{a, b};
;      for (int i = 0; i < 300; i++)
;        for (int j = 0; j < 300; j++)
;          for (int k = 0; k < 200; k++)
;            c(i, j) += product.at(i, j, k);
;    }
;
;    struct Source {
;      virtual double next();
;    };
;
;    void collect(Matrix<300, 300> &c, Source &source) {
;      for (int i = 0; i < 300; i++)
;        for (int j = 0; j < 300; j++)
;          c(i, j) += source.next();
;    }

; RUN: %opt -passes='polyrs<fatal-bugs>,verify' -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes='print<polyrs-scops>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=MODEL

; CHECK: loops reordered: {{.*}}tiled
; CHECK: loops not optimized
; CHECK-NOT: remark
; MODEL: stmt Stmt0
; MODEL-NEXT: domain: { Stmt0[i0, i1, i2] : 0 <= i0 <= 299 and 0 <= i1 <= 299 and 0 <= i2 <= 199 }
; MODEL-NOT: stmt

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.Product = type { ptr, ptr }
%struct.Matrix.1 = type { [300 x [300 x double]] }
%struct.Matrix = type { [300 x [200 x double]] }
%struct.Matrix.0 = type { [200 x [300 x double]] }

$_ZNK7Product2atEiii = comdat any

$_ZN6MatrixILi300ELi300EEclEii = comdat any

$_ZNK6MatrixILi300ELi200EEclEii = comdat any

$_ZNK6MatrixILi200ELi300EEclEii = comdat any

; Function Attrs: mustprogress uwtable
define dso_local void @_Z8multiplyR6MatrixILi300ELi300EERKS_ILi300ELi200EERKS_ILi200ELi300EE(ptr noundef nonnull align 8 dereferenceable(720000) %c, ptr noundef nonnull align 8 dereferenceable(480000) %a, ptr noundef nonnull align 8 dereferenceable(480000) %b) #0 {
entry:
  %c.addr = alloca ptr, align 8
  %a.addr = alloca ptr, align 8
  %b.addr = alloca ptr, align 8
  %product = alloca %struct.Product, align 8
  %i = alloca i32, align 4
  %cleanup.dest.slot = alloca i32, align 4
  %j = alloca i32, align 4
  %k = alloca i32, align 4
  store ptr %c, ptr %c.addr, align 8, !tbaa !9
  store ptr %a, ptr %a.addr, align 8, !tbaa !12
  store ptr %b, ptr %b.addr, align 8, !tbaa !14
  call void @llvm.lifetime.start.p0(ptr %product) #3
  %a1 = getelementptr inbounds nuw %struct.Product, ptr %product, i32 0, i32 0
  %0 = load ptr, ptr %a.addr, align 8, !tbaa !12, !nonnull !16, !align !17
  store ptr %0, ptr %a1, align 8, !tbaa !12
  %b2 = getelementptr inbounds nuw %struct.Product, ptr %product, i32 0, i32 1
  %1 = load ptr, ptr %b.addr, align 8, !tbaa !14, !nonnull !16, !align !17
  store ptr %1, ptr %b2, align 8, !tbaa !14
  call void @llvm.lifetime.start.p0(ptr %i) #3
  store i32 0, ptr %i, align 4, !tbaa !5
  br label %for.cond

for.cond:                                         ; preds = %for.inc15, %entry
  %2 = load i32, ptr %i, align 4, !tbaa !5
  %cmp = icmp slt i32 %2, 300
  br i1 %cmp, label %for.body, label %for.cond.cleanup

for.cond.cleanup:                                 ; preds = %for.cond
  store i32 2, ptr %cleanup.dest.slot, align 4
  call void @llvm.lifetime.end.p0(ptr %i) #3
  br label %for.end17

for.body:                                         ; preds = %for.cond
  call void @llvm.lifetime.start.p0(ptr %j) #3
  store i32 0, ptr %j, align 4, !tbaa !5
  br label %for.cond3

for.cond3:                                        ; preds = %for.inc12, %for.body
  %3 = load i32, ptr %j, align 4, !tbaa !5
  %cmp4 = icmp slt i32 %3, 300
  br i1 %cmp4, label %for.body6, label %for.cond.cleanup5

for.cond.cleanup5:                                ; preds = %for.cond3
  store i32 5, ptr %cleanup.dest.slot, align 4
  call void @llvm.lifetime.end.p0(ptr %j) #3
  br label %for.end14

for.body6:                                        ; preds = %for.cond3
  call void @llvm.lifetime.start.p0(ptr %k) #3
  store i32 0, ptr %k, align 4, !tbaa !5
  br label %for.cond7

for.cond7:                                        ; preds = %for.inc, %for.body6
  %4 = load i32, ptr %k, align 4, !tbaa !5
  %cmp8 = icmp slt i32 %4, 200
  br i1 %cmp8, label %for.body10, label %for.cond.cleanup9

for.cond.cleanup9:                                ; preds = %for.cond7
  store i32 8, ptr %cleanup.dest.slot, align 4
  call void @llvm.lifetime.end.p0(ptr %k) #3
  br label %for.end

for.body10:                                       ; preds = %for.cond7
  %5 = load i32, ptr %i, align 4, !tbaa !5
  %6 = load i32, ptr %j, align 4, !tbaa !5
  %7 = load i32, ptr %k, align 4, !tbaa !5
  %call = call noundef double @_ZNK7Product2atEiii(ptr noundef nonnull align 8 dereferenceable(16) %product, i32 noundef %5, i32 noundef %6, i32 noundef %7)
  %8 = load ptr, ptr %c.addr, align 8, !tbaa !9, !nonnull !16, !align !17
  %9 = load i32, ptr %i, align 4, !tbaa !5
  %10 = load i32, ptr %j, align 4, !tbaa !5
  %call11 = call noundef nonnull align 8 dereferenceable(8) ptr @_ZN6MatrixILi300ELi300EEclEii(ptr noundef nonnull align 8 dereferenceable(720000) %8, i32 noundef %9, i32 noundef %10)
  %11 = load double, ptr %call11, align 8, !tbaa !18
  %add = fadd double %11, %call
  store double %add, ptr %call11, align 8, !tbaa !18
  br label %for.inc

for.inc:                                          ; preds = %for.body10
  %12 = load i32, ptr %k, align 4, !tbaa !5
  %inc = add nsw i32 %12, 1
  store i32 %inc, ptr %k, align 4, !tbaa !5
  br label %for.cond7, !llvm.loop !20

for.end:                                          ; preds = %for.cond.cleanup9
  br label %for.inc12

for.inc12:                                        ; preds = %for.end
  %13 = load i32, ptr %j, align 4, !tbaa !5
  %inc13 = add nsw i32 %13, 1
  store i32 %inc13, ptr %j, align 4, !tbaa !5
  br label %for.cond3, !llvm.loop !23

for.end14:                                        ; preds = %for.cond.cleanup5
  br label %for.inc15

for.inc15:                                        ; preds = %for.end14
  %14 = load i32, ptr %i, align 4, !tbaa !5
  %inc16 = add nsw i32 %14, 1
  store i32 %inc16, ptr %i, align 4, !tbaa !5
  br label %for.cond, !llvm.loop !24

for.end17:                                        ; preds = %for.cond.cleanup
  call void @llvm.lifetime.end.p0(ptr %product) #3
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

; Function Attrs: mustprogress uwtable
define linkonce_odr dso_local noundef double @_ZNK7Product2atEiii(ptr noundef nonnull align 8 dereferenceable(16) %this, i32 noundef %i, i32 noundef %j, i32 noundef %k) #0 comdat align 2 {
entry:
  %this.addr = alloca ptr, align 8
  %i.addr = alloca i32, align 4
  %j.addr = alloca i32, align 4
  %k.addr = alloca i32, align 4
  store ptr %this, ptr %this.addr, align 8, !tbaa !25
  store i32 %i, ptr %i.addr, align 4, !tbaa !5
  store i32 %j, ptr %j.addr, align 4, !tbaa !5
  store i32 %k, ptr %k.addr, align 4, !tbaa !5
  %this1 = load ptr, ptr %this.addr, align 8
  %a = getelementptr inbounds nuw %struct.Product, ptr %this1, i32 0, i32 0
  %0 = load ptr, ptr %a, align 8, !tbaa !27, !nonnull !16, !align !17
  %1 = load i32, ptr %i.addr, align 4, !tbaa !5
  %2 = load i32, ptr %k.addr, align 4, !tbaa !5
  %call = call noundef nonnull align 8 dereferenceable(8) ptr @_ZNK6MatrixILi300ELi200EEclEii(ptr noundef nonnull align 8 dereferenceable(480000) %0, i32 noundef %1, i32 noundef %2)
  %3 = load double, ptr %call, align 8, !tbaa !18
  %b = getelementptr inbounds nuw %struct.Product, ptr %this1, i32 0, i32 1
  %4 = load ptr, ptr %b, align 8, !tbaa !29, !nonnull !16, !align !17
  %5 = load i32, ptr %k.addr, align 4, !tbaa !5
  %6 = load i32, ptr %j.addr, align 4, !tbaa !5
  %call2 = call noundef nonnull align 8 dereferenceable(8) ptr @_ZNK6MatrixILi200ELi300EEclEii(ptr noundef nonnull align 8 dereferenceable(480000) %4, i32 noundef %5, i32 noundef %6)
  %7 = load double, ptr %call2, align 8, !tbaa !18
  %mul = fmul double %3, %7
  ret double %mul
}

; Function Attrs: mustprogress nounwind uwtable
define linkonce_odr dso_local noundef nonnull align 8 dereferenceable(8) ptr @_ZN6MatrixILi300ELi300EEclEii(ptr noundef nonnull align 8 dereferenceable(720000) %this, i32 noundef %i, i32 noundef %j) #2 comdat align 2 {
entry:
  %this.addr = alloca ptr, align 8
  %i.addr = alloca i32, align 4
  %j.addr = alloca i32, align 4
  store ptr %this, ptr %this.addr, align 8, !tbaa !9
  store i32 %i, ptr %i.addr, align 4, !tbaa !5
  store i32 %j, ptr %j.addr, align 4, !tbaa !5
  %this1 = load ptr, ptr %this.addr, align 8
  %values = getelementptr inbounds nuw %struct.Matrix.1, ptr %this1, i32 0, i32 0
  %0 = load i32, ptr %i.addr, align 4, !tbaa !5
  %idxprom = sext i32 %0 to i64
  %arrayidx = getelementptr inbounds [300 x [300 x double]], ptr %values, i64 0, i64 %idxprom
  %1 = load i32, ptr %j.addr, align 4, !tbaa !5
  %idxprom2 = sext i32 %1 to i64
  %arrayidx3 = getelementptr inbounds [300 x double], ptr %arrayidx, i64 0, i64 %idxprom2
  ret ptr %arrayidx3
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

; Function Attrs: mustprogress uwtable
define dso_local void @_Z7collectR6MatrixILi300ELi300EER6Source(ptr noundef nonnull align 8 dereferenceable(720000) %c, ptr noundef nonnull align 8 dereferenceable(8) %source) #0 {
entry:
  %c.addr = alloca ptr, align 8
  %source.addr = alloca ptr, align 8
  %i = alloca i32, align 4
  %cleanup.dest.slot = alloca i32, align 4
  %j = alloca i32, align 4
  store ptr %c, ptr %c.addr, align 8, !tbaa !9
  store ptr %source, ptr %source.addr, align 8, !tbaa !30
  call void @llvm.lifetime.start.p0(ptr %i) #3
  store i32 0, ptr %i, align 4, !tbaa !5
  br label %for.cond

for.cond:                                         ; preds = %for.inc6, %entry
  %0 = load i32, ptr %i, align 4, !tbaa !5
  %cmp = icmp slt i32 %0, 300
  br i1 %cmp, label %for.body, label %for.cond.cleanup

for.cond.cleanup:                                 ; preds = %for.cond
  store i32 2, ptr %cleanup.dest.slot, align 4
  call void @llvm.lifetime.end.p0(ptr %i) #3
  br label %for.end8

for.body:                                         ; preds = %for.cond
  call void @llvm.lifetime.start.p0(ptr %j) #3
  store i32 0, ptr %j, align 4, !tbaa !5
  br label %for.cond1

for.cond1:                                        ; preds = %for.inc, %for.body
  %1 = load i32, ptr %j, align 4, !tbaa !5
  %cmp2 = icmp slt i32 %1, 300
  br i1 %cmp2, label %for.body4, label %for.cond.cleanup3

for.cond.cleanup3:                                ; preds = %for.cond1
  store i32 5, ptr %cleanup.dest.slot, align 4
  call void @llvm.lifetime.end.p0(ptr %j) #3
  br label %for.end

for.body4:                                        ; preds = %for.cond1
  %2 = load ptr, ptr %source.addr, align 8, !tbaa !30, !nonnull !16, !align !17
  %vtable = load ptr, ptr %2, align 8, !tbaa !32
  %vfn = getelementptr inbounds ptr, ptr %vtable, i64 0
  %3 = load ptr, ptr %vfn, align 8
  %call = call noundef double %3(ptr noundef nonnull align 8 dereferenceable(8) %2)
  %4 = load ptr, ptr %c.addr, align 8, !tbaa !9, !nonnull !16, !align !17
  %5 = load i32, ptr %i, align 4, !tbaa !5
  %6 = load i32, ptr %j, align 4, !tbaa !5
  %call5 = call noundef nonnull align 8 dereferenceable(8) ptr @_ZN6MatrixILi300ELi300EEclEii(ptr noundef nonnull align 8 dereferenceable(720000) %4, i32 noundef %5, i32 noundef %6)
  %7 = load double, ptr %call5, align 8, !tbaa !18
  %add = fadd double %7, %call
  store double %add, ptr %call5, align 8, !tbaa !18
  br label %for.inc

for.inc:                                          ; preds = %for.body4
  %8 = load i32, ptr %j, align 4, !tbaa !5
  %inc = add nsw i32 %8, 1
  store i32 %inc, ptr %j, align 4, !tbaa !5
  br label %for.cond1, !llvm.loop !34

for.end:                                          ; preds = %for.cond.cleanup3
  br label %for.inc6

for.inc6:                                         ; preds = %for.end
  %9 = load i32, ptr %i, align 4, !tbaa !5
  %inc7 = add nsw i32 %9, 1
  store i32 %inc7, ptr %i, align 4, !tbaa !5
  br label %for.cond, !llvm.loop !35

for.end8:                                         ; preds = %for.cond.cleanup
  ret void
}

; Function Attrs: mustprogress nounwind uwtable
define linkonce_odr dso_local noundef nonnull align 8 dereferenceable(8) ptr @_ZNK6MatrixILi300ELi200EEclEii(ptr noundef nonnull align 8 dereferenceable(480000) %this, i32 noundef %i, i32 noundef %j) #2 comdat align 2 {
entry:
  %this.addr = alloca ptr, align 8
  %i.addr = alloca i32, align 4
  %j.addr = alloca i32, align 4
  store ptr %this, ptr %this.addr, align 8, !tbaa !12
  store i32 %i, ptr %i.addr, align 4, !tbaa !5
  store i32 %j, ptr %j.addr, align 4, !tbaa !5
  %this1 = load ptr, ptr %this.addr, align 8
  %values = getelementptr inbounds nuw %struct.Matrix, ptr %this1, i32 0, i32 0
  %0 = load i32, ptr %i.addr, align 4, !tbaa !5
  %idxprom = sext i32 %0 to i64
  %arrayidx = getelementptr inbounds [300 x [200 x double]], ptr %values, i64 0, i64 %idxprom
  %1 = load i32, ptr %j.addr, align 4, !tbaa !5
  %idxprom2 = sext i32 %1 to i64
  %arrayidx3 = getelementptr inbounds [200 x double], ptr %arrayidx, i64 0, i64 %idxprom2
  ret ptr %arrayidx3
}

; Function Attrs: mustprogress nounwind uwtable
define linkonce_odr dso_local noundef nonnull align 8 dereferenceable(8) ptr @_ZNK6MatrixILi200ELi300EEclEii(ptr noundef nonnull align 8 dereferenceable(480000) %this, i32 noundef %i, i32 noundef %j) #2 comdat align 2 {
entry:
  %this.addr = alloca ptr, align 8
  %i.addr = alloca i32, align 4
  %j.addr = alloca i32, align 4
  store ptr %this, ptr %this.addr, align 8, !tbaa !14
  store i32 %i, ptr %i.addr, align 4, !tbaa !5
  store i32 %j, ptr %j.addr, align 4, !tbaa !5
  %this1 = load ptr, ptr %this.addr, align 8
  %values = getelementptr inbounds nuw %struct.Matrix.0, ptr %this1, i32 0, i32 0
  %0 = load i32, ptr %i.addr, align 4, !tbaa !5
  %idxprom = sext i32 %0 to i64
  %arrayidx = getelementptr inbounds [200 x [300 x double]], ptr %values, i64 0, i64 %idxprom
  %1 = load i32, ptr %j.addr, align 4, !tbaa !5
  %idxprom2 = sext i32 %1 to i64
  %arrayidx3 = getelementptr inbounds [300 x double], ptr %arrayidx, i64 0, i64 %idxprom2
  ret ptr %arrayidx3
}

attributes #0 = { mustprogress uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nounwind }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.errno.tbaa = !{!5}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = !{!10, !10, i64 0}
!10 = !{!"p1 _ZTS6MatrixILi300ELi300EE", !11, i64 0}
!11 = !{!"any pointer", !7, i64 0}
!12 = !{!13, !13, i64 0}
!13 = !{!"p1 _ZTS6MatrixILi300ELi200EE", !11, i64 0}
!14 = !{!15, !15, i64 0}
!15 = !{!"p1 _ZTS6MatrixILi200ELi300EE", !11, i64 0}
!16 = !{}
!17 = !{i64 8}
!18 = !{!19, !19, i64 0}
!19 = !{!"double", !7, i64 0}
!20 = distinct !{!20, !21, !22}
!21 = !{!"llvm.loop.mustprogress"}
!22 = !{!"llvm.loop.unroll.disable"}
!23 = distinct !{!23, !21, !22}
!24 = distinct !{!24, !21, !22}
!25 = !{!26, !26, i64 0}
!26 = !{!"p1 _ZTS7Product", !11, i64 0}
!27 = !{!28, !13, i64 0}
!28 = !{!"_ZTS7Product", !13, i64 0, !15, i64 8}
!29 = !{!28, !15, i64 8}
!30 = !{!31, !31, i64 0}
!31 = !{!"p1 _ZTS6Source", !11, i64 0}
!32 = !{!33, !33, i64 0}
!33 = !{!"vtable pointer", !8, i64 0}
!34 = distinct !{!34, !21, !22}
!35 = distinct !{!35, !21, !22}
