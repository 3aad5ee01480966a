; Sizes for a GPU that no device has are refused as other options are, whatever the target.

; RUN: not %opt -passes='polyrs<gpu-max-shared-bytes=99999>' %s -disable-output 2>&1 | FileCheck %s --check-prefix=BYTES
; BYTES: option 'polyrs-gpu-max-shared-bytes': '99999' is not a whole number between 0 and 49152
; RUN: not %opt -passes='polyrs<gpu-register-tile=3>' %s -disable-output 2>&1 | FileCheck %s --check-prefix=ONE
; ONE: option 'polyrs-gpu-register-tile': '3' has 1 size, not two: rows,columns
; RUN: not %opt -passes='polyrs<gpu-register-tile=1,2,3,4>' %s -disable-output 2>&1 | FileCheck %s --check-prefix=FOUR
; FOUR: '1,2,3,4' has 4 sizes, not two: rows,columns
; RUN: %opt -passes='polyrs<gpu-register-tile=8,4;gpu-max-shared-bytes=49152>' %s -disable-output

define void @f() {
  ret void
}
