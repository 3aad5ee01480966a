// The same where the original takes elements one by one: sums of products of bytes whose columns are no neighbours are
// no vectors, however near the data is. With bounds that were thought to take as long as vectors do the packed copies
// were not used below a depth of 416.

// RUN: %clang -O3 -march=x86-64-v4 -fno-discard-value-names -fpass-plugin=%plugin -S -emit-llvm %s -o %t.ll
// RUN: %opt -internalize-public-api-list=main -passes=internalize,ipsccp,simplifycfg,globaldce -S %t.ll | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.packed
// RUN: %t.packed | diff %t.expected -

#include <stdint.h>
#include <stdio.h>

// CHECK-LABEL: define {{.*}} @quantized(
// CHECK-NOT: icmp {{.*}}ugt i64
// CHECK: call {{.*}}@quantized.polyrs.0(
__attribute__((noinline)) void quantized(const int8_t *restrict a, const int8_t *restrict b,
                                         const int32_t *restrict bias, int8_t *restrict out, int n, int m, int depth,
                                         int za, int zb, int scale, int shift) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int32_t sum = bias[j];
      for (int k = 0; k < depth; k++)
        sum += (a[i * depth + k] - za) * (b[k * m + j] - zb);
      int32_t q = (int32_t)(((int64_t)sum * scale) >> shift);
      out[i * m + j] = (int8_t)(q < -128 ? -128 : q > 127 ? 127 : q);
    }
}

static int8_t a[128 * 200], b[200 * 256], out[128 * 256];
static int32_t bias[256];

int main(void) {
  for (int i = 0; i < 128 * 200; i++)
    a[i] = (int8_t)(i * 37 % 251);
  for (int i = 0; i < 200 * 256; i++)
    b[i] = (int8_t)(i * 53 % 241);
  for (int i = 0; i < 256; i++)
    bias[i] = i * 71 % 1000;
  quantized(a, b, bias, out, 128, 256, 200, 3, -2, 77, 18);
  for (int i = 0; i < 128 * 256; i += 97)
    printf("%d\n", out[i]);
}
