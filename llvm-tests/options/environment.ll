; POLYRS_OPTIONS has the syntax of the command line. It is weaker than the command line, which is weaker than pass
; parameters. What it gets wrong ends the compiler, as on the command line.
;
;   void copy(double *a, double *b, long n) { for (long i = 0; i < n; i++) a[i] = b[i]; }

; RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs-only-func=none" %opt -passes=polyrs -disable-output %s 2>&1 | FileCheck %s --check-prefix=SKIPPED
; RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs-only-func=none" %opt -passes=polyrs -polyrs-only-func=copy -disable-output %s 2>&1 | FileCheck %s --check-prefix=TAKEN
; RUN: %opt -passes='polyrs<only-func=copy>' -polyrs-only-func=none -polyrs-report -disable-output %s 2>&1 | FileCheck %s --check-prefix=TAKEN
; RUN: env POLYRS_OPTIONS="--polyrs-report -polyrs-tile=3 -O3 -polyrs-time=perhaps -polyrs-ignore-func=(" not %opt -passes=polyrs -disable-output %s 2>&1 | FileCheck %s --check-prefix=ERROR

; RUN: env POLYRS_OPTIONS="-polyrs-tilling=3" not %clang -O3 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CLANG
; RUN: not ls %t.o

; CLANG: error: polyrs: POLYRS_OPTIONS: unknown option 'polyrs-tilling': did you mean 'polyrs-tiling'?
; CLANG-NEXT: 1 error generated.
; CLANG-NOT: {{.}}
; SKIPPED: 1 functions with a loop over memory
; SKIPPED: 1 functions left alone
; TAKEN: 1 functions with a loop over memory
; TAKEN: 0 functions left alone
; ERROR: error: polyrs: POLYRS_OPTIONS: unknown option 'polyrs-tile': did you mean 'polyrs-time'?; unknown option '-O3';
; ERROR-SAME: option 'polyrs-time': 'perhaps' is neither true nor false; '(' is not a regular expression: parentheses not balanced
; ERROR-NOT: functions

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

