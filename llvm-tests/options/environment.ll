; POLYRS_OPTIONS has the syntax of the command line. It is weaker than the command line, which is weaker than pass parameters.
; What it gets wrong is a warning.
;
;   void copy(double *a, double *b, long n) { for (long i = 0; i < n; i++) a[i] = b[i]; }

; RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs-only-func=none" %opt -passes=polyrs -disable-output %s 2>&1 | FileCheck %s --check-prefix=SKIPPED
; RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs-only-func=none" %opt -passes=polyrs -polyrs-only-func=copy -disable-output %s 2>&1 | FileCheck %s --check-prefix=TAKEN
; RUN: %opt -passes='polyrs<only-func=copy>' -polyrs-only-func=none -polyrs-report -disable-output %s 2>&1 | FileCheck %s --check-prefix=TAKEN
; RUN: env POLYRS_OPTIONS="--polyrs-report -polyrs-tile=3 -O3 -polyrs-time=perhaps -polyrs-ignore-func=(" %opt -passes=polyrs -disable-output %s 2>&1 | FileCheck %s --check-prefix=WARN

; SKIPPED: 1 functions with a loop over memory
; SKIPPED: 1 functions left alone
; TAKEN: 1 functions with a loop over memory
; TAKEN: 0 functions left alone
; WARN: polyrs: warning: POLYRS_OPTIONS: unknown option 'polyrs-tile' (ignored)
; WARN-NEXT: polyrs: warning: POLYRS_OPTIONS: unknown option '-O3' (ignored)
; WARN-NEXT: polyrs: warning: POLYRS_OPTIONS: option 'polyrs-time': 'perhaps' is neither true nor false (ignored)
; WARN-NEXT: polyrs: warning: POLYRS_OPTIONS: '(' is not a regular expression: parentheses not balanced (ignored)
; WARN-NEXT: 1 functions with a loop over memory
; WARN-NEXT: 0 functions left alone

define void @copy(ptr %a, ptr %b, i64 %n) {
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

