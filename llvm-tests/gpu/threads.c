// Several threads of the host have regions at the same time, over integers of all widths: the host's bits in any order
// in which streams go on, no finding, and whatever fails.

// RUN: %clang -O3 -pthread %s -o %t.host
// RUN: %clang -O3 -pthread -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %t.host > %t.expected
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// CHECK-NOT: ptx-emulator
// CHECK-DAG: polyrs: bytes:{{.*}}: device (PTX emulator)
// CHECK-DAG: polyrs: shorts:{{.*}}: device (PTX emulator)
// CHECK-DAG: polyrs: ints:{{.*}}: device (PTX emulator)
// CHECK-DAG: polyrs: longs:{{.*}}: device (PTX emulator)
// RUN: %emulator PTX_EMULATOR_ORDER=backward POLYRS_GPU_CHUNK=100 %t.gpu 2>&1 | diff %t.expected -
// RUN: %emulator PTX_EMULATOR_ORDER=random=4 %t.gpu 2>&1 | diff %t.expected -
// RUN: %python %root/llvm-tests/gpu/Inputs/faults.py %t.expected 4 %emulator %t.gpu

#include "Inputs/tell.h"
#include <pthread.h>
#include <stdint.h>

#define LOOPS(name, type)                                                                                                                    \
  static type name##_a[4][300], name##_b[4][300];                                                                                            \
  __attribute__((noinline)) void name(type *restrict a, type *restrict b, int n) {                                                           \
    for (int i = 0; i < n; i++)                                                                                                              \
      b[i] = (type)(a[i] * 7 + (a[i] >> 3) - b[i]);                                                                                          \
    for (int i = 0; i < n; i++)                                                                                                              \
      a[i] = (type)(b[i] / 3 ^ (type)(a[i] % 11));                                                                                           \
  }

LOOPS(bytes, int8_t)
LOOPS(shorts, uint16_t)
LOOPS(ints, int32_t)
LOOPS(longs, int64_t)

__attribute__((annotate("polyrs:off"))) static void *run(void *number) {
  long k = (long)number;
  for (int step = 0; step < 3; step++) {
    bytes(bytes_a[k], bytes_b[k], 300);
    shorts(shorts_a[k], shorts_b[k], 299);
    ints(ints_a[k], ints_b[k], 298);
    longs(longs_a[k], longs_b[k], 297);
  }
  return 0;
}

__attribute__((annotate("polyrs:off"))) int main(void) {
  pthread_t threads[4];
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 300; i++) {
      bytes_a[k][i] = (int8_t)(i * 7 + k);
      shorts_a[k][i] = (uint16_t)(i * 7919 + k);
      ints_a[k][i] = i * 104729 - 9000000 + k;
      longs_a[k][i] = (int64_t)i * 1299709000 - k;
    }
  for (long k = 0; k < 4; k++)
    pthread_create(&threads[k], 0, run, (void *)k);
  for (int k = 0; k < 4; k++)
    pthread_join(threads[k], 0);
  tell("bytes", bytes_a, sizeof bytes_a);
  tell("shorts", shorts_a, sizeof shorts_a);
  tell("ints", ints_a, sizeof ints_a);
  tell("longs", longs_a, sizeof longs_a);
  return 0;
}
