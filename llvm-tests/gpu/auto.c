// Where regions run with POLYRS_GPU=auto follows from numbers of this machine, which are measured once and kept in a
// file. The emulator is slow, which is found; a file that says otherwise is believed, if it is about this device.

// RUN: rm -rf %t.cache
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU=auto POLYRS_GPU_LOG=1 POLYRS_GPU_CACHE=%t.cache %t 2>&1 | FileCheck %s --check-prefix=SLOW
// SLOW: polyrs: work:0: host: it is estimated to be as fast
// SLOW-NOT: ptx-emulator
// SLOW: sum
// RUN: cat %t.cache/gpu-* | FileCheck %s --check-prefix=KEPT
// KEPT: polyrs-gpu-rates 1
// KEPT-NEXT: of PTX emulator, CUDA
// KEPT-NEXT: host {{[0-9.]+}}e
// KEPT-NEXT: device {{[0-9.]+}}e
// KEPT-NEXT: link {{[0-9.]+}}e
// KEPT-NEXT: launch {{[0-9.]+}}e
// KEPT-NEXT: start {{[0-9.]+}}e

// A device that is as fast as nothing.
// RUN: sed -i -e "s/^device .*/device 1e20/" -e "s/^link .*/link 1e20/" -e "s/^launch .*/launch 1e-20/" -e "s/^start .*/start 1e-20/" %t.cache/gpu-*
// RUN: %emulator POLYRS_GPU=auto POLYRS_GPU_LOG=1 POLYRS_GPU_CACHE=%t.cache %t little 2>&1 | FileCheck %s --check-prefix=FAST
// FAST: polyrs: work:0: device (PTX emulator)
// FAST: sum

// Of another device, or broken: measured again. Nothing is written where that is not wanted, or cannot be.
// RUN: sed -i -e "s/^of .*/of another one/" %t.cache/gpu-*
// RUN: %emulator POLYRS_GPU=auto POLYRS_GPU_LOG=1 POLYRS_GPU_CACHE=%t.cache %t 2>&1 | FileCheck %s --check-prefix=SLOW
// RUN: cat %t.cache/gpu-* | FileCheck %s --check-prefix=KEPT
// RUN: rm -rf %t.cache
// RUN: %emulator POLYRS_GPU=auto POLYRS_GPU_LOG=1 POLYRS_GPU_CACHE= %t 2>&1 | FileCheck %s --check-prefix=SLOW
// RUN: %emulator POLYRS_GPU=auto POLYRS_GPU_LOG=1 POLYRS_GPU_CACHE=/proc/none %t 2>&1 | FileCheck %s --check-prefix=SLOW
// RUN: %emulator POLYRS_GPU=auto POLYRS_GPU_LOG=1 POLYRS_GPU_CACHE=%t.cache PTX_EMULATOR_FAULT=launch %t little 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: sum

#include <stdio.h>

enum { MOST = 800 };
static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];

// Much to do: the estimate asks for the device, by numbers of no machine in particular.
__attribute__((noinline)) void work(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

int main(int argc, char **argv) {
  work(argc > 1 ? 20 : MOST, (void *)a, (void *)b, (void *)c);
  printf("sum %g\n", c[0]);
  return 0;
}
