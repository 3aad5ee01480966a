// Kernels beside threads of the host: where the device has a region, no thread is started; where the host has it, by
// the user's wish, for want of a driver, or because a call of the driver's fails, its loops run in threads. The host's
// bits in each case.
// REQUIRES: libomp

// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fopenmp -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s --check-prefix=IR < %t.ll
// RUN: %clang -O1 -fopenmp %t.ll -o %t.both -L%rt -lpolyrs_rt
// IR-LABEL: define {{.*}}@smooth(
// IR-DAG: call {{.*}}@polyrs_gpu_begin
// IR-DAG: call {{.*}}@__kmpc_fork_call
// IR: {{^}}}

// A line per thread of the host that a loop runs in.
// RUN: %emulator OMP_NUM_THREADS=3 OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT="thread %%n of %%N" POLYRS_GPU_LOG=1 %t.both > %t.log 2>&1
// RUN: FileCheck %s --check-prefix=DEVICE < %t.log
// DEVICE-NOT: {{thread|ptx-emulator}}
// DEVICE: polyrs: smooth:0: device (PTX emulator)
// DEVICE-NOT: {{thread|ptx-emulator}}

// RUN: %emulator OMP_NUM_THREADS=3 OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT="thread %%n of %%N" POLYRS_GPU=never %t.both > %t.log 2>&1
// RUN: FileCheck %s --check-prefix=THREADS < %t.log
// RUN: %no_driver OMP_NUM_THREADS=3 OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT="thread %%n of %%N" %t.both > %t.log 2>&1
// RUN: FileCheck %s --check-prefix=THREADS < %t.log
// RUN: %emulator OMP_NUM_THREADS=3 OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT="thread %%n of %%N" PTX_EMULATOR_FAULT=launch=2 %t.both > %t.log 2>&1
// RUN: FileCheck %s --check-prefix=THREADS < %t.log
// THREADS-DAG: thread 0 of 3
// THREADS-DAG: thread 1 of 3
// THREADS-DAG: thread 2 of 3

// RUN: %emulator OMP_NUM_THREADS=3 %t.both | diff %t.expected -
// RUN: %emulator OMP_NUM_THREADS=3 PTX_EMULATOR_ORDER=random=5 %t.both | diff %t.expected -
// RUN: %emulator OMP_NUM_THREADS=3 POLYRS_GPU=never %t.both | diff %t.expected -
// RUN: %no_driver OMP_NUM_THREADS=3 %t.both | diff %t.expected -
// RUN: env OMP_NUM_THREADS=3 %python %root/llvm-tests/gpu/Inputs/faults.py %t.expected 3 %emulator %t.both

#include "Inputs/tell.h"

#define N 120
static double a[N][N], b[N][N];

__attribute__((noinline)) void smooth(int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = b[i][j];
  }
}

__attribute__((annotate("polyrs:off"))) int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (i * 7919 + j * 104729) % 1009 / 17.0;
  smooth(4);
  tell("smooth", a, sizeof a);
  return 0;
}
