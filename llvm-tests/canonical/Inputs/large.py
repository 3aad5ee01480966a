"""Prints a module: FUNCTIONS loop nests, GLOBALS globals, DECLARATIONS external functions, of which the nests use one each."""
import sys

functions, globals_, declarations = map(int, sys.argv[1:])
for k in range(globals_):
    print(f"@g{k} = internal global [4 x double] zeroinitializer, align 8")
for k in range(declarations):
    print(f"declare double @d{k}(double)")
for k in range(functions):
    print(f"""
define void @f{k}(ptr noalias %a, ptr noalias %b, i64 %n) {{
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %at = add i64 %i, %j
  %p = getelementptr inbounds double, ptr %a, i64 %at
  %q = getelementptr inbounds double, ptr %b, i64 %at
  %x = load double, ptr %p
  %g = load double, ptr @g{k % globals_}
  %y = fmul double %x, %g
  store double %y, ptr %q
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp slt i64 %j.next, %n
  br i1 %j.more, label %inner, label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp slt i64 %i.next, %n
  br i1 %i.more, label %outer, label %end
end:
  ret void
}}""")
