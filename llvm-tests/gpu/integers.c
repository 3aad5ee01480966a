// Integers of all widths on a device: what counts, turns and saturates bits is exact there, too.
// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: %emulator PTX_EMULATOR_ORDER=random=8 %t.gpu 2>&1 | diff %t.expected -

// CHECK-NOT: ptx-emulator:
// CHECK-DAG: polyrs: bits8:0: device (PTX emulator)
// CHECK-DAG: polyrs: bits16:0: device (PTX emulator)
// CHECK-DAG: polyrs: bits32:0: device (PTX emulator)
// CHECK-DAG: polyrs: bits64:0: device (PTX emulator)
// CHECK-DAG: polyrs: turned32:0: device (PTX emulator)
// CHECK-DAG: polyrs: turned64:0: device (PTX emulator)
// CHECK-DAG: polyrs: counted:0: device (PTX emulator)
// CHECK-DAG: polyrs: saturated:0: device (PTX emulator)

// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -S -emit-llvm %s -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: @polyrs.gpu.sm_60.ptx
// PTX-DAG: popc.b32
// PTX-DAG: popc.b64
// PTX-DAG: clz.b32
// PTX-DAG: shf.l.wrap.b32

#include "Inputs/tell.h"

#define BITS(width, type)                                                                                                                  \
  __attribute__((noinline)) void bits##width(int n, type *restrict a, const type *restrict b) {                                            \
    for (int i = 0; i < n; i++) {                                                                                                          \
      type x = b[i] * a[i], turned = __builtin_bitreverse##width(b[i]);                                                                    \
      a[i] = (type)(x << (i % 5)) ^ (type)(x >> 3) ^ turned;                                                                               \
    }                                                                                                                                      \
  }
BITS(8, unsigned char)
BITS(16, unsigned short)
BITS(32, unsigned)
BITS(64, unsigned long)

__attribute__((noinline)) void turned32(int n, unsigned *restrict a) {
  for (int i = 0; i < n; i++)
    a[i] = __builtin_bswap32(__builtin_rotateleft32(a[i], i)) + __builtin_rotateright32(a[i], 7);
}

__attribute__((noinline)) void turned64(int n, unsigned long *restrict a) {
  for (int i = 0; i < n; i++)
    a[i] = __builtin_bswap64(__builtin_rotateleft64(a[i], i)) + __builtin_rotateright64(a[i], 7);
}

__attribute__((noinline)) void counted(int n, int *restrict a, const unsigned *restrict b, const unsigned long *restrict c) {
  for (int i = 0; i < n; i++) {
    int zeros = __builtin_clz(b[i] | 1) + __builtin_ctz(b[i] | 64) + __builtin_clzl(c[i] | 1) + __builtin_ctzl(c[i] | 4096);
    a[i] = zeros * 100 + __builtin_popcount(b[i]) + __builtin_popcountl(c[i]);
  }
}

__attribute__((noinline)) void saturated(int n, short *restrict a, unsigned char *restrict b) {
  for (int i = 0; i < n; i++) {
    a[i] = __builtin_elementwise_add_sat(a[i], (short)(b[i] * 190));
    a[i] = __builtin_elementwise_sub_sat(a[i], (short)9000);
    b[i] = __builtin_elementwise_add_sat(b[i], (unsigned char)90);
    b[i] = __builtin_elementwise_sub_sat(b[i], (unsigned char)140);
  }
}

enum { N = 1003 };
static unsigned char bytes[2 * N];
static unsigned short shorts[2 * N];
static unsigned ints[2 * N];
static unsigned long longs[2 * N];
static int counts[N];

int main(void) {
  unsigned long seed = 7;
  for (int i = 0; i < 2 * N; i++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    longs[i] = seed ^ seed >> 31;
    ints[i] = longs[i] >> 9;
    shorts[i] = longs[i] >> 21;
    bytes[i] = longs[i] >> 33;
  }
  bits8(N, bytes, bytes + N);
  bits16(N, shorts, shorts + N);
  bits32(N, ints, ints + N);
  bits64(N, longs, longs + N);
  turned32(N, ints);
  turned64(N, longs);
  counted(N, counts, ints, longs);
  saturated(N, (short *)shorts, bytes);
  tell("bytes", bytes, sizeof bytes);
  tell("shorts", shorts, sizeof shorts);
  tell("ints", ints, sizeof ints);
  tell("longs", longs, sizeof longs);
  tell("counts", counts, sizeof counts);
  return 0;
}
