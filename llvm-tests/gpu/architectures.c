// A text for each architecture that is asked for: a program takes the newest that its device can run, and the host
// where there is none.

// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-arch=sm_70,sm_90 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=TEXTS
// TEXTS: @polyrs.gpu.sm_70.sm_90 = private constant {{.*}}, i32 3, i32 2, i32 2 }
// TEXTS: @polyrs.gpu.sm_70.sm_90.ptx = private constant
// TEXTS-SAME: .target sm_70
// TEXTS: @polyrs.gpu.sm_70.sm_90.1.ptx = private constant
// TEXTS-SAME: .target sm_90

// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-arch=sm_70,sm_90 %s -o %t -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 PTX_EMULATOR_CAPABILITY=7.0 %t 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: %emulator POLYRS_GPU_LOG=1 PTX_EMULATOR_CAPABILITY=9.0 %t 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: %emulator POLYRS_GPU_LOG=1 PTX_EMULATOR_CAPABILITY=12.0 %t 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: %emulator POLYRS_GPU_LOG=1 PTX_EMULATOR_CAPABILITY=6.0 %t 2>&1 | FileCheck %s --check-prefix=OLD
// DEVICE-COUNT-2: device (PTX emulator): 1 launches
// DEVICE: 215071
// OLD: no GPU is used: the program has no kernels for compute capability 6.0
// OLD: 215071

// One text is enough for all newer devices.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 PTX_EMULATOR_CAPABILITY=12.0 %t 2>&1 | FileCheck %s --check-prefix=DEVICE

// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-arch=sm_70,sm_999 -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: loops get no kernel for a GPU: the backend knows no architecture sm_999

// RUN: not %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-arch=sm_70,volta %s -S -o - 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-arch=sm_ %s -S -o - 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-arch=sm_90a,sm_100f -c %s -o %t.o 2>&1 | count 0
// RUN: not %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-gpu-arch=sm_90,sm_20 %s -S -o - 2>&1 | FileCheck %s --check-prefix=TOO-OLD
// TOO-OLD: for the --polyrs-gpu-arch option: 'sm_20' is too old: kernels are for sm_60 and newer
// WRONG: for the --polyrs-gpu-arch option: '{{volta|sm_}}' is no architecture: sm_ and a number, as in sm_60

#include <stdio.h>

static double v[1000];

__attribute__((noinline)) static void scale(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] = a[i] * 3.0;
}

__attribute__((noinline)) static void shift(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] = a[i] / 7.0 + 1;
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
