// A nest so deep that its dependences alone would take seconds and gigabytes: the budget ends that, and the code stays
// as it was.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -gline-tables-only -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks-missed=polyrs -S %t.ll -o %t.out.ll 2> %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: not grep polyrs.loop %t.out.ll

// CHECK: deep.c:[[#]]:{{[0-9]+}}: loops not optimized: the budget of the dependences stage is spent
#define IN(i, rest) for (int i = 0; i < n; i++) { A[i]++; rest }
#define IN4(i, rest) IN(i##a, IN(i##b, IN(i##c, IN(i##d, rest))))
int A[1000];
void kernel(int n) {
  IN4(h, IN4(i, IN4(j, IN4(k, IN4(l, IN4(m, ))))))
}
