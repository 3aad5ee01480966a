// Outermost loops in which no new code is are left in the shape in which they came, beside one that is rewritten: with
// the test in front of the body, and conditions read where they stood. What is computed in a loop and used behind it
// stays in canonical form, as do loops on variables that are values now.

// RUN: %clang -O1 -fno-discard-value-names -Xclang -disable-llvm-passes -S -emit-llvm %s -o - \
// RUN:   | %opt -passes=polyrs -S | FileCheck %s

// CHECK-LABEL: define {{.*}} @scale_and_transpose(
// CHECK:       for.cond:
// CHECK-NEXT:    %i.0 = phi i32
// CHECK-NEXT:    %[[N:.*]] = load i32, ptr %n
// CHECK-NEXT:    %cmp = icmp slt i32 %i.0, %[[N]]
// CHECK-NEXT:    br i1 %cmp, label %for.body{{[0-9]*}}, label
// CHECK:       polyrs.loop
// CHECK-NOT:   llvm.sideeffect
// CHECK-LABEL: define {{.*}} @count_and_transpose(
// CHECK-NOT:   for.cond:
// CHECK:       polyrs.loop
// CHECK-NOT:   llvm.sideeffect
// CHECK-LABEL: define {{.*}} @only_one(

void scale_and_transpose(const int *restrict n, const int *restrict on, double *restrict c,
                         double (*restrict a)[1000], double (*restrict b)[1000]) {
  for (int i = 0; i < *n; i++)
    if (*on)
      c[i] *= 2;
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 1000; j++)
      a[j][i] = b[i][j];
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 1000; j++)
      b[j][i] += 1;
}

int count_and_transpose(int n, const int *restrict c, double (*restrict a)[1000]) {
  int count = 0;
  for (int i = 0; i < n; i++)
    if (c[i])
      count++;
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 1000; j++)
      a[j][i] += 1;
  return count;
}

void only_one(double (*restrict a)[1000]) {
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 1000; j++)
      a[j][i] += 1;
}
