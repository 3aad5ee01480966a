// Copies and kernels at the same time: a kernel waits for the copies that it needs and for no other one, and results
// that no later kernel writes come back while others run. The emulator finds every event that is missing.

// RUN: %clang -O3 %s -o %t.host
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %t.host > %t.expected
// RUN: %emulator PTX_EMULATOR_TRACE=1 PTX_EMULATOR_ORDER=backward %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log

// The first kernel has its array, and its result is on the way back, before anything of the second kernel's was asked
// for.
// CHECK: trace: [[A:[0-9]+]]: 8000 bytes to the device in stream [[IN:[0-9]+]]{{$}}
// CHECK: trace: [[FIRST:[0-9]+]]: polyrs_apart_0 in stream [[KERNELS:[0-9]+]], behind [[A]]{{$}}
// CHECK: trace: [[B:[0-9]+]]: 8000 bytes to the host in stream [[OUT:[0-9]+]], behind
// CHECK-SAME: [[FIRST]]
// CHECK: trace: [[C:[0-9]+]]: 8000 bytes to the device in stream [[IN]]{{$}}
// CHECK: trace: [[SECOND:[0-9]+]]: polyrs_apart_1 in stream [[KERNELS]], behind [[C]]{{$}}
// CHECK: trace: {{[0-9]+}}: 8000 bytes to the host in stream [[KERNELS]], behind [[C]]{{$}}
// What a later kernel writes again stays until then, and what it reads does not.
// CHECK: trace: [[IN:[0-9]+]]: 8000 bytes to the device
// CHECK-NEXT: trace: [[FIRST:[0-9]+]]: polyrs_again_{{[0-9]+}} in stream
// CHECK-NOT: bytes to the host
// CHECK: polyrs_again_
// CHECK-NEXT: trace: {{[0-9]+}}: 8000 bytes to the host in stream {{[0-9]+}}, behind
// CHECK-NEXT: polyrs_again_
// CHECK: 8000 bytes to the host

// Every event counts: the first function lets streams wait three times, the second one twice.
// RUN: %python %root/llvm-tests/gpu/Inputs/unordered.py %t.expected 5 %emulator %t.gpu

// Arrays that go to the device in chunks: no chunk is filled again before it was copied.
// RUN: %emulator POLYRS_GPU_CHUNK=1000 PTX_EMULATOR_TRACE=1 PTX_EMULATOR_ORDER=backward %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s --check-prefix=CHUNKS < %t.log
// CHUNKS-COUNT-8: 1000 bytes to the device
// CHUNKS: polyrs_apart_0
// CHUNKS-COUNT-8: 1000 bytes to the device
// CHUNKS: polyrs_apart_1
// RUN: %emulator POLYRS_GPU_CHUNK=1000 PTX_EMULATOR_FAULT=no-wait=1 PTX_EMULATOR_ORDER=backward %t.gpu 2>&1 | FileCheck %s --check-prefix=FILLED
// RUN: %emulator POLYRS_GPU_CHUNK=1000 PTX_EMULATOR_FAULT=no-wait=9 PTX_EMULATOR_ORDER=backward %t.gpu 2>&1 | FileCheck %s --check-prefix=FILLED
// FILLED: ptx-emulator: the host changes memory that is still to be copied to the device

// Whatever fails, and at whatever step.
// RUN: env POLYRS_GPU_CHUNK=1000 %python %root/llvm-tests/gpu/Inputs/faults.py %t.expected 20 %emulator %t.gpu

#include "Inputs/tell.h"

static double a[1000], b[1000], c[1000], d[1000];

__attribute__((noinline)) void apart(void) {
  for (int i = 0; i < 1000; i++)
    b[i] = a[i] * 3;
  for (int i = 0; i < 1000; i++)
    d[999 - i] = c[i] - 1;
}

__attribute__((noinline)) void again(void) {
  for (int i = 0; i < 1000; i++)
    b[i] = a[i] + 7;
  for (int i = 0; i < 1000; i++)
    c[i] = b[999 - i] * 0.5;
  for (int i = 0; i < 1000; i++)
    b[i] = c[999 - i] + b[i];
}

__attribute__((annotate("polyrs:off"))) int main(void) {
  for (int i = 0; i < 1000; i++) {
    a[i] = (i * 7919) % 1009 / 17.0;
    c[i] = (i * 104729) % 1013 / 19.0;
  }
  apart();
  tell("b", b, sizeof b);
  tell("d", d, sizeof d);
  again();
  tell("b", b, sizeof b);
  tell("c", c, sizeof c);
  return 0;
}
