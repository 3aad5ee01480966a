// Data stays on the device between regions of a function until the host may look: steps with exchanged pointers copy
// their arrays once.

// RUN: %clang -O3 %s -o %t.host
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %t.host > %t.expected
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log

// 40 * 40 doubles without the corners are 12784 bytes, the inside 12144. What was only read is copied again when it is
// written.
// CHECK: polyrs: exchanged:{{.*}}: device (PTX emulator): 1 launches, 24928 bytes in, results stay there
// CHECK-NEXT: polyrs: exchanged:{{.*}}: device (PTX emulator): 1 launches, 12784 bytes in, results stay there
// CHECK-NEXT: polyrs: exchanged:{{.*}}: device (PTX emulator): 1 launches, 640 bytes in, results stay there
// CHECK-COUNT-3: polyrs: exchanged:{{.*}}: device (PTX emulator): 1 launches, 0 bytes in, results stay there
// CHECK-NEXT: polyrs: back from the device: 25568 bytes out
// Two loops with arithmetic between them that is no part of a region.
// CHECK: polyrs: sequence:{{.*}}: 1 launches, 16000 bytes in, results stay there
// CHECK-NEXT: polyrs: sequence:{{.*}}: 1 launches, 0 bytes in, results stay there
// CHECK-NEXT: polyrs: back from the device: 8000 bytes out
// Ranges that overlap are joined on the device; a region behind a branch.
// CHECK: polyrs: growing:{{.*}}: 1 launches, 4000 bytes in, results stay there
// CHECK-NEXT: polyrs: growing:{{.*}}: 1 launches, 4000 bytes in, results stay there
// CHECK-NEXT: polyrs: back from the device: 8000 bytes out
// CHECK-NEXT: polyrs: branched:{{.*}}: 1 launches, 8000 bytes in, results stay there
// CHECK-NEXT: polyrs: branched:{{.*}}: 1 launches, 0 bytes in, results stay there
// CHECK-NEXT: polyrs: back from the device: 8000 bytes out
// CHECK-NEXT: polyrs: branched:{{.*}}: 1 launches, 8000 bytes in, results stay there
// CHECK-NEXT: polyrs: branched:{{.*}}: 0 launches, 0 bytes in, results stay there
// CHECK-NEXT: polyrs: back from the device: 8000 bytes out
// Another thread may look behind a fence.
// CHECK-COUNT-2: polyrs: fenced:{{.*}}: device (PTX emulator): 1 launches, 8000 bytes in, 8000 bytes out
// The host reads an element after each step, and a value that a region makes: nothing is copied to the device again.
// CHECK: polyrs: looked:{{.*}}: device (PTX emulator): 1 launches, 8000 bytes in, results stay there
// CHECK-NEXT: polyrs: back from the device: 8000 bytes out
// CHECK-NEXT: polyrs: looked:{{.*}}: device (PTX emulator): 1 launches, 0 bytes in, 8000 bytes out
// CHECK-NEXT: polyrs: looked:{{.*}}: device (PTX emulator): 1 launches, 0 bytes in, 8000 bytes out
// CHECK-NOT: looked:{{.*}}: [1-9]{{[0-9]*}} bytes in
// CHECK: polyrs: converging:0: device (PTX emulator): {{.*}} 8016 bytes in, results stay there
// CHECK-NEXT: polyrs: back from the device: 8016 bytes out
// CHECK-NEXT: polyrs: converging:0: device (PTX emulator): {{.*}} 0 bytes in, 8016 bytes out
// CHECK-NEXT: polyrs: converging:0: device (PTX emulator): {{.*}} 0 bytes in, 8016 bytes out
// It calls a function; it writes: nothing stays.
// CHECK: polyrs: called:{{.*}}: device (PTX emulator): 1 launches, 8000 bytes in, 8000 bytes out
// CHECK: polyrs: called:{{.*}}: device (PTX emulator): 1 launches, 8000 bytes in, 8000 bytes out
// CHECK-COUNT-2: polyrs: changed:{{.*}}: device (PTX emulator): 1 launches, 8000 bytes in,
// CHECK-NOT: ptx-emulator

// Turned off.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-keep-data=false %s -o %t.off -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.off > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s --check-prefix=OFF < %t.log
// OFF-NOT: stay there

// Whatever fails, and at whatever step: the host begins where its memory is what it was.
// RUN: %python %root/llvm-tests/gpu/Inputs/faults.py %t.expected 8 %emulator %t.gpu
// RUN: %no_driver %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: %emulator POLYRS_GPU=auto %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out

#include "Inputs/tell.h"
#include <stdlib.h>

// The number of steps is data: the loop around is none of a region.
__attribute__((noinline)) double *exchanged(unsigned steps, double *a, double *b) {
  double(*x)[40] = (void *)a, (*y)[40] = (void *)b;
  while (steps) {
    for (int i = 1; i < 39; i++)
      for (int j = 1; j < 39; j++)
        y[i][j] = 0.25 * (x[i - 1][j] + x[i + 1][j] + x[i][j - 1] + x[i][j + 1]);
    double(*z)[40] = x;
    x = y;
    y = z;
    steps &= steps - 1;
  }
  return x[0];
}

__attribute__((noinline)) void sequence(int n, unsigned k, double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
    b[i] = a[i] * 3;
  while (k % 7)
    k = k * 5 + 3;
  for (int i = 0; i < n; i++)
    b[i] = b[i] + a[i] + k;
}

__attribute__((noinline)) void growing(unsigned k, double *a) {
  for (int i = 0; i < 500; i++)
    a[i] = a[i] * 0.75;
  while (k % 7)
    k = k * 5 + 3;
  for (int i = 0; i < 1000; i++)
    a[i] = a[i] + k;
}

__attribute__((noinline)) void branched(unsigned k, double *a) {
  for (int i = 0; i < 1000; i++)
    a[i] = a[i] * 0.75;
  while (k % 7)
    k = k * 5 + 3;
  if (k > 20)
    for (int i = 0; i < 1000; i++)
      a[i] = a[i] + k;
}

__attribute__((noinline)) void fenced(double *a) {
  for (int i = 0; i < 1000; i++)
    a[i] = a[i] * 0.75;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (int i = 0; i < 1000; i++)
    a[i] = a[i] + 3;
}

__attribute__((noinline)) void looked(double *a) {
  do {
    for (int i = 0; i < 1000; i++)
      a[i] = a[i] * 0.5;
  } while (a[7] > 0.1);
}

// A sum decides whether there is another step: some thread makes it, and the host takes it over.
__attribute__((noinline)) double converging(double *a) {
  double sum;
  do {
    for (int i = 0; i < 1000; i++)
      a[i] = a[i] * 0.5;
    sum = 0;
    for (int i = 0; i < 1000; i++)
      sum += a[i];
  } while (sum > 100);
  return sum;
}

// An element behind a loop over memory that is none of a region.
__attribute__((noinline)) long searched(double *a) {
  long found = 0;
  for (int i = 0; i < 1000; i++)
    a[i] = a[i] + 0.25;
  while (a[found] < 3 && found < 999)
    found++;
  for (int i = 0; i < 1000; i++)
    a[i] = a[i] + found;
  return found;
}

__attribute__((noinline)) void shown(double *a) { printf("%g\n", a[3]); }

__attribute__((noinline)) void called(double *a) {
  for (int i = 0; i < 1000; i++)
    a[i] = a[i] + 2;
  shown(a);
  for (int i = 0; i < 1000; i++)
    a[i] = a[i] * a[i];
}

__attribute__((noinline)) void changed(unsigned steps, double *a) {
  while (steps) {
    for (int i = 0; i < 1000; i++)
      a[i] = a[i] * 0.5;
    a[steps % 10] += 1;
    steps &= steps - 1;
  }
}

static double *filled(int n, int seed) {
  double *all = malloc(8 * n);
  for (int i = 0; i < n; i++)
    all[i] = (i * 7919 + seed) % 1009 / 17.0 + 0.1;
  return all;
}

int main(void) {
  double *a = filled(1600, 1), *b = filled(1600, 2);
  double *last = exchanged(0x3f, a, b);
  printf("%d\n", last == a);
  tell("a", a, 12800);
  tell("b", b, 12800);
  sequence(1000, 5, a, b);
  tell("sequence", b, 12800);
  growing(5, a);
  tell("growing", a, 12800);
  branched(5, a);
  branched(7, a);
  tell("branched", a, 12800);
  fenced(a);
  tell("fenced", a, 12800);
  // The arrays overlap: the host runs the loops.
  exchanged(0x7, a, a);
  tell("same", a, 12800);
  a[7] = 0.7;
  looked(a);
  tell("looked", a, 12800);
  double sum = converging(a);
  tell("sum", &sum, 8);
  tell("converging", a, 12800);
  printf("%ld\n", searched(a));
  tell("searched", a, 12800);
  called(a);
  tell("called", a, 12800);
  changed(3, a);
  tell("changed", a, 12800);
  return 0;
}
