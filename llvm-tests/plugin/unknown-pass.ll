; A pass or a parameter that does not exist is an error, with the reason.

; RUN: not %opt -passes=polyrs-scops -disable-output %s 2>&1 | FileCheck %s --check-prefix=PASS
; RUN: not %opt -passes='print<polyrs-loops>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=PRINT
; RUN: not %opt -passes='polyrs<tile-size=3>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=NAME
; RUN: not %opt -passes='polyrs<tile-sizes=3,x>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=VALUE
; RUN: not %opt -passes='polyrs<tile-sizes=3,4' -disable-output %s 2>&1 | FileCheck %s --check-prefix=OPEN
; RUN: not %opt -passes='polyrs<only-func=[>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=REGEX
; RUN: not %opt -passes=polyr -disable-output %s 2>&1 | FileCheck %s --check-prefix=NEAR
; RUN: not %opt -passes=mem2reg,polyrs -disable-output %s 2>&1 | FileCheck %s --check-prefix=FUNCTION

; NEAR: polyrs: no pass 'polyr': did you mean 'polyrs'?
; NEAR-NOT: no pass
; NEAR: unknown pass name 'polyr'
; FUNCTION: polyrs: a pass of modules: passes of functions around it stand in function(...), as in -passes='function(mem2reg),polyrs'
; FUNCTION: unknown function pass 'polyrs'
; PASS: unknown pass name 'polyrs-scops'
; PRINT: unknown pass name 'print<polyrs-loops>'
; NAME: polyrs: unknown option 'tile-size'
; NAME: unknown pass name 'polyrs<tile-size=3>'
; VALUE: polyrs: option 'polyrs-tile-sizes': 'x' is not a whole number between 1 and 4294967295
; VALUE: unknown module pass 'x>'
; OPEN: polyrs: '>' is missing after the pass parameters in 'polyrs<tile-sizes=3,4'
; REGEX: polyrs: '[' is not a regular expression: brackets ([ ]) not balanced

define void @f() {
  ret void
}
