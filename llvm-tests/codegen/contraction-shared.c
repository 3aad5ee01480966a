// Two products of one kind share a kernel, what packs for it and what takes memory, also where they are in different
// functions of a module; another type, or another processor, has its own.

// RUN: %clang -O3 -march=x86-64-v3 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='default<O3>' -S %t.ll -o %t.opt.ll
// RUN: grep -c 'define internal .*@polyrs.kernel' %t.opt.ll | FileCheck %s --check-prefix=THREE
// RUN: grep -c 'define internal .*@polyrs.contraction' %t.opt.ll | FileCheck %s --check-prefix=THREE
// RUN: grep -c 'define internal .*@polyrs.room.take' %t.opt.ll | FileCheck %s --check-prefix=TWO
// RUN: FileCheck %s < %t.opt.ll

// THREE: {{^3$}}
// TWO: {{^2$}}

// CHECK-LABEL: define {{.*}}@first.polyrs.0(
// CHECK: call {{.*}}@[[ROUTINE:polyrs.contraction[^(]*]](
// CHECK-LABEL: define {{.*}}@second.polyrs.0(
// CHECK: call {{.*}}@[[ROUTINE]](
// CHECK-LABEL: define {{.*}}@narrow.polyrs.0(
// CHECK-NOT: @[[ROUTINE]](
// CHECK-LABEL: define {{.*}}@elsewhere.polyrs.0(
// CHECK-NOT: @[[ROUTINE]](
void first(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void second(int m, int n, int p, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < p; k++)
        c[i * n + j] += a[k * m + i] * b[k * n + j];
}

void narrow(int n, const float *restrict a, const float *restrict b, float *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

__attribute__((target("avx512f"))) void elsewhere(int n, const double *restrict a, const double *restrict b,
                                                  double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
