// Kernels of several translation units, apart, and put together by the linker (full and thin LTO).
// REQUIRES: lld

// RUN: %clang -O3 -DSECOND -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -c %s -o %t.2.o
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s %t.2.o -o %t -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t 2>&1 | FileCheck %s

// RUN: %clang -O3 -flto -DSECOND -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -c %s -o %t.2.o
// RUN: env POLYRS_OPTIONS="-polyrs-target=gpu -polyrs-process-unprofitable" %clang -O3 -flto -fuse-ld=lld -Wl,--load-pass-plugin=%plugin -fpass-plugin=%plugin %s %t.2.o -o %t -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t 2>&1 | FileCheck %s

// RUN: %clang -O3 -flto=thin -DSECOND -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -c %s -o %t.2.o
// RUN: env POLYRS_OPTIONS="-polyrs-target=gpu -polyrs-process-unprofitable" %clang -O3 -flto=thin -fuse-ld=lld -Wl,--load-pass-plugin=%plugin -fpass-plugin=%plugin %s %t.2.o -o %t -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t 2>&1 | FileCheck %s

// CHECK-DAG: polyrs: scale:0: device (PTX emulator): 1 launches
// CHECK-DAG: polyrs: shift:0: device (PTX emulator): 1 launches
// CHECK-DAG: {{^}}215071{{$}}
// CHECK-NOT: ptx-emulator

void shift(long n, double *a);

#ifdef SECOND
void shift(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] = a[i] / 7.0 + 1;
}
#else
#include <stdio.h>

static double v[1000];

__attribute__((noinline)) static void scale(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] = a[i] * 3.0;
}

int main(void) {
  double s = 0;
  for (int i = 0; i < 1000; i++)
    v[i] = i;
  scale(1000, v);
  shift(1000, v);
  for (int i = 0; i < 1000; i++)
    s += v[i];
  printf("%g\n", s);
  return 0;
}
#endif
