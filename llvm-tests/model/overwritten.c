// Two updates of one element in a row, the first of which nobody sees, are one: of the maximum of three, here. What a
// load between them may see, or another element, is stored.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<print-after=scops>' -disable-output %t.ll 2>&1 | FileCheck %s

#define LARGER(a, b) ((a) >= (b) ? (a) : (b))

// CHECK-LABEL: scop largest:0
// CHECK: must_write: {{.*}} Arr0
// CHECK-NEXT: reduction: smax Arr0
void largest(int n, int t[restrict 100][100], const int a[restrict 100][100], const int b[restrict 100][100]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      t[i][j] = LARGER(t[i][j], a[i][j]);
      t[i][j] = LARGER(t[i][j], b[j][i]);
    }
}

// CHECK-LABEL: scop seen:0
// CHECK-COUNT-2: must_write:
void seen(int n, int t[restrict 100], const int a[restrict 100]) {
  for (int i = 0; i < n; i++) {
    t[i] = a[i];
    t[i] = t[a[i] & 63] + 1;
  }
}

// CHECK-LABEL: scop others:0
// CHECK-COUNT-2: must_write:
void others(int n, int t[restrict 101], const int a[restrict 100]) {
  for (int i = 0; i < n; i++) {
    t[i + 1] = a[i];
    t[i] = a[i] + 1;
  }
}
