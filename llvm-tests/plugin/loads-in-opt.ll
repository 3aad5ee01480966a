; The plugin loads, its passes are known by name, and a module without loops comes out as it went in.
;
;   int id(int x) { return x; }

; RUN: %opt -passes=polyrs -S %s | FileCheck %s
; RUN: %opt -passes='polyrs<tile-sizes=32,32;process-unprofitable>' -S %s | FileCheck %s
; RUN: %opt -passes='print<polyrs-scops>,print<polyrs-dependences>,print<polyrs-schedule>,print<polyrs-ast>' -disable-output %s
; RUN: %opt -O3 -S %s | FileCheck %s

; CHECK: define{{.*}} i32 @id(i32
; CHECK-NEXT: ret i32

define i32 @id(i32 %x) {
  ret i32 %x
}
