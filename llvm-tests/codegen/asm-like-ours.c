// A user's empty asm that hands on its operand, written as the question is that callers are asked, is no question: what
// it hands on stays unknown.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -march=x86-64-v3 -emit-llvm -S %s -o %t.ll
// RUN: sed 's/=r,0,~{dirflag},~{fpsr},~{flags}/=r,0/' %t.ll > %t.same.ll
// RUN: FileCheck %s --check-prefix=WRITTEN --input-file=%t.same.ll
// RUN: %opt -O3 -S %t.same.ll | FileCheck %s

// WRITTEN: i32 asm "", "=r,0"(i32
// CHECK-LABEL: define {{.*}} @filter(
// CHECK: polyrs
void filter(int n, int taps, const float *h, const float *x, float *y) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < taps; k++)
      sum += h[k] * x[i + k];
    y[i] = sum;
  }
}

// CHECK-LABEL: define {{.*}} @hidden(
// CHECK: %[[X:.*]] = {{.*}}asm "", "=r,0"
// CHECK-NEXT: ret i32 %[[X]]
int hidden(int x) {
  __asm__("" : "=r"(x) : "0"(x));
  return x;
}
