; A panic inside the pass, in whatever phase, leaves the module as it was and is told as a remark; with fatal-bugs it
; ends the tool.
;
;   void copy(double *a, double *b, long n) { for (long i = 0; i < n; i++) a[i] = b[i]; }

; RUN: opt -S %s -o %t.before
; RUN: %opt -passes='polyrs<process-unprofitable>' -S %s -o %t.after
; RUN: not diff %t.before %t.after > %t.diff
; DEFINE: %{phase} =
; DEFINE: %{panics} = %opt -passes='polyrs<process-unprofitable;inject-panic=%{phase}>' -pass-remarks-missed=polyrs -S %s -o %t.after 2>&1 | FileCheck %s -DPHASE=%{phase} && diff %t.before %t.after
; REDEFINE: %{phase} = canonicalize
; RUN: %{panics}
; REDEFINE: %{phase} = facts
; RUN: %{panics}
; REDEFINE: %{phase} = detect
; RUN: %{panics}
; REDEFINE: %{phase} = scops
; RUN: %{panics}
; REDEFINE: %{phase} = dependences
; RUN: %{panics}
; REDEFINE: %{phase} = schedule
; RUN: %{panics}
; REDEFINE: %{phase} = ast
; RUN: %{panics}
; REDEFINE: %{phase} = codegen
; RUN: %{panics}
; RUN: not %opt -passes='polyrs<inject-panic=facts;fatal-bugs>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=FATAL

; CHECK: remark: {{.*}}loops not optimized: internal error: panic injected after [[PHASE]] at src/pipeline.rs:
; FATAL: polyrs: internal error in function 'copy': panic injected after facts

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

