// Tests in front of the original move its loops: so that these are not slower for it, short ones begin at the begin of
// a line of code, as new ones do. Functions without new code are as clang makes them, as is what is to be small.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S %s -o - | FileCheck %s --check-prefix=CODE
// RUN: %clang -Os -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s --check-prefix=SMALL
// RUN: %clang -O3 --target=aarch64-linux-gnu -ffreestanding -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s --check-prefix=SMALL

// CHECK-LABEL: define {{.*}} @columns(
// CHECK: fcmp
// CHECK: br i1 {{.*}} !llvm.loop [[COLUMNS:![0-9]+]]
// CHECK-LABEL: define {{.*}} @kept(
// CHECK: br i1 {{.*}} !llvm.loop [[KEPT:![0-9]+]]
// CHECK: [[COLUMNS]] = distinct !{[[COLUMNS]], {{.*}}[[ALIGNED:![0-9]+]]}
// CHECK: [[ALIGNED]] = !{!"llvm.loop.align", i32 64}
// CHECK: [[KEPT]] = distinct !{[[KEPT]], !{{[0-9]+}}}

// CODE-LABEL: columns:
// CODE: .p2align 6
// CODE: vminsd
// SMALL-NOT: llvm.loop.align

void columns(long n, long m, double *restrict A, double *restrict C) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++) {
      double t = A[j * n + i] * 0.5;
      C[j] = t < C[j] ? t : C[j];
    }
}

long kept(const long *list, long n) {
  long k = 0;
  while (list[k] != n)
    k = list[k];
  return k;
}
