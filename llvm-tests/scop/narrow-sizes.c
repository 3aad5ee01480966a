// Sizes of 8 and 16 bits without sign are parameters as they are used, without remainders of signed ones in each bound.
// Where one counts with its sign as well, it is read as before.

// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs -mllvm -polyrs-fatal-bugs -DRUN %s -o %t.new 2>&1 \
// RUN:   | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DRUN -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -Xclang -load -Xclang %plugin -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs -DRUN %s -o %t.forced
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt
// RUN: %t.forced > %t.forced.txt
// RUN: diff %t.old.txt %t.forced.txt

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define KERNEL __attribute__((noinline))

// CHECK: :[[@LINE+3]]:{{[0-9]+}}: remark: loops reordered: {{.*}}packed
KERNEL void product(uint16_t n, uint16_t m, uint16_t k, const float *restrict a, const float *restrict b,
                    float *restrict c) {
  for (uint16_t i = 0; i < n; i++)
    for (uint16_t j = 0; j < m; j++) {
      float sum = 0;
      for (uint16_t l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * m + j];
      c[i * m + j] = sum;
    }
}

// CHECK: :[[@LINE+3]]:{{[0-9]+}}: remark: loops reordered: {{.*}}packed
KERNEL void layer(uint16_t n, uint16_t c, uint16_t h, uint16_t k, const float *restrict in, const float *restrict by,
                  float *restrict out) {
  for (int b = 0; b < n; b++)
    for (int y = 0; y < h; y++)
      for (int x = 0; x < h; x++)
        for (int f = 0; f < k; f++) {
          float sum = 0;
          for (int d = 0; d < c; d++)
            sum += in[((b * h + y) * h + x) * c + d] * by[f * c + d];
          out[((b * h + y) * h + x) * k + f] = sum;
        }
}

// Wider numbers in few bits.
// CHECK: :[[@LINE+4]]:{{[0-9]+}}: remark: loops reordered: {{.*}}packed
KERNEL void truncated(const int *sizes, const float *restrict a, const float *restrict b, float *restrict c) {
  uint16_t n = sizes[0], m = sizes[1];
  uint8_t k = sizes[2];
  for (uint16_t i = 0; i < n; i++)
    for (uint16_t j = 0; j < m; j++) {
      float sum = 0;
      for (uint8_t l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * m + j];
      c[i * m + j] = sum;
    }
}

// Rows of what is written are the difference of two sizes: whichever was read first, they are not negative.
// CHECK: :[[@LINE+4]]:{{[0-9]+}}: remark: loops reordered: {{.*}}packed
KERNEL void windows(uint16_t c, uint16_t h, uint16_t k, uint16_t r, const float *restrict in, const float *restrict by,
                    float *restrict out) {
  int m = h - r + 1;
  for (int y = 0; y < m; y++)
    for (int x = 0; x < m; x++)
      for (int f = 0; f < k; f++) {
        float sum = 0;
        for (int p = 0; p < r; p++)
          for (int q = 0; q < r; q++)
            for (int d = 0; d < c; d++)
              sum += in[((y + p) * h + x + q) * c + d] * by[((f * r + p) * r + q) * c + d];
        out[(y * m + x) * k + f] = sum;
      }
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: loops reordered: {{.*}}interchanged
KERNEL void bytes(uint8_t n, double *restrict a, double b[restrict][256]) {
  for (uint8_t i = 0; i < n; i++)
    for (uint8_t j = 0; j < n; j++)
      a[i] += b[j][i];
}

// As it is and less one, which is 65535 for 0.
KERNEL void before_last(uint16_t n, double *restrict a, double b[restrict][64]) {
  for (uint16_t i = 0; i < (uint16_t)(n - 1) && i < 40; i++)
    for (uint16_t j = 0; j < n && j < 40; j++)
      a[i] += b[j][i];
}

// With its sign and without.
KERNEL void both(int16_t n, double *restrict a, double b[restrict][64]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < (uint16_t)n && j < 40; j++)
      a[i] += b[j][i];
}

#ifdef RUN
static float a[200000], b[200000], c[400000];
static double s[256], t[256][256], u[64][64];

static void show(const char *name, const void *of, size_t bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes; i++)
    sum = sum * 31 + ((const unsigned char *)of)[i];
  printf("%s %llx\n", name, (unsigned long long)sum);
}

int main(void) {
  for (int i = 0; i < 200000; i++)
    a[i] = (i * 7919 % 1000) / 8.0f, b[i] = (i * 31 % 100) / 64.0f;
  for (int i = 0; i < 256; i++)
    for (int j = 0; j < 256; j++)
      t[i][j] = (i * 256 + j) * 7919 % 1000 / 8.0, u[i % 64][j % 64] = (i * 64 + j) * 31 % 100 / 3.0;
  static const uint16_t sizes[][3] = {{0, 5, 5}, {5, 0, 5}, {5, 5, 0}, {3, 4, 5}, {37, 41, 29}, {100, 100, 100},
                                      {40000, 5, 4}, {5, 40000, 3}, {2, 3, 33000}, {65535, 3, 2}, {3, 50, 65}};
  for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    memset(c, 0, sizeof c);
    product(sizes[k][0], sizes[k][1], sizes[k][2], a, b, c);
    show("product", c, sizeof c);
  }
  static const int wide[][3] = {{0, 5, 5}, {65541, 5, 5}, {5, 65535, 257}, {-65500, 70, 300}, {100, 101, 102}, {3, 4, 256}};
  for (unsigned k = 0; k < sizeof wide / sizeof *wide; k++)
    truncated(wide[k], a, b, c), show("truncated", c, sizeof c);
  for (uint16_t k = 0; k < 60; k += 29)
    for (uint16_t h = 0; h < 20; h += 9)
      for (uint16_t d = 0; d < 30; d += 14)
        layer(2, d, h, k, a, b, c), show("layer", c, sizeof c);
  for (uint16_t h = 0; h < 20; h += 9)
    for (uint16_t r = 0; r < h + 3; r += 2)
      windows(5, h, 17, r, a, b, c), show("windows", c, sizeof c);
  for (int n = 0; n < 256; n += 51)
    bytes(n, s, t), show("bytes", s, sizeof s);
  static const int lengths[] = {0, 1, 2, 39, 40, 41, 42, 30000, 32768, 40000, 65535};
  for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; k++)
    before_last(lengths[k], s, u), show("before last", s, sizeof s);
  for (int n = -3; n < 40; n += 6)
    both(n, s, u), show("both", s, sizeof s);
  return 0;
}
#endif
