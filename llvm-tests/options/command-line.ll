; Options on the command line: values are checked, errors name the option.

; RUN: %opt -passes=polyrs -polyrs-tile-sizes=8,8 -polyrs-time=false -polyrs-report -disable-output %s
; RUN: not %opt -passes=polyrs -polyrs-tile-sizes=8,0 -disable-output %s 2>&1 | FileCheck %s --check-prefix=ZERO
; RUN: not %opt -passes=polyrs -polyrs-position=late -disable-output %s 2>&1 | FileCheck %s --check-prefix=CHOICE
; RUN: not %opt -passes=polyrs -polyrs-stop-after=tiling -disable-output %s 2>&1 | FileCheck %s --check-prefix=PHASE
; RUN: not %opt -passes=polyrs '-polyrs-ignore-func=[' -disable-output %s 2>&1 | FileCheck %s --check-prefix=REGEX
; RUN: not %opt -passes=polyrs -polyrs-tilesizes=8 -disable-output %s 2>&1 | FileCheck %s --check-prefix=NAME
; RUN: not %clang -O1 -fpass-plugin=%plugin -mllvm -polyrs-tilesizes=8 -x ir -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
; RUN: %opt --help | FileCheck %s --check-prefix=HELP

; ZERO: for the --polyrs-tile-sizes option: '0' is not a whole number between 1 and 4294967295
; CHOICE: for the --polyrs-position option: 'late' is neither early nor before-vectorizer
; PHASE: for the --polyrs-stop-after option: 'tiling' is not one of canonicalize, facts, detect, scops, dependences, schedule, ast, codegen
; REGEX: for the --polyrs-ignore-func option: '[' is not a regular expression: brackets ([ ]) not balanced
; NAME: for the --polyrs-tilesizes option: there is none: did you mean '-polyrs-tile-sizes'?
; HELP: Polyhedral loop optimization
; HELP: -polyrs-tile-sizes=<iterations,...>

define void @f() {
  ret void
}
