// Each region turned down is told once, and as many are with debug information as without: two loops that are stopped
// by the same kind of thing are two, what stops a nest and the loops inside of it is one.

// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -polyrs-report -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -polyrs-report -c %s -o %t.o 2>&1 | FileCheck %s

// CHECK: 6 regions rejected
// CHECK-NEXT: 2 Call
// CHECK-NEXT: 2 NoEffect
// CHECK-NEXT: 2 NonAffineBound
void unknown(void);

void calls(double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i] += 1;
      unknown();
    }
  for (int i = 0; i < n; i++) {
    a[i] += 2;
    unknown();
  }
}

int reads(int *a, int n) {
  int s = 0, p = 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += a[i + j];
  for (int i = 0; i < n; i++)
    p *= a[i];
  return s + p;
}

void ends(int *a) {
  for (int i = 0; a[i]; i++)
    a[i] = 1;
  for (int i = 0; a[i] != 7; i++)
    a[i] = 2;
}
