// Two loops over the elements of rows are one where statements use their counters for addresses alone, and these go
// through memory element by element: channels of pixels. The outer loop runs once, at its first value, and the inner
// one over all rows. Where the number of channels is a parameter, the length is one of its own.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs -Rpass-analysis=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -Xclang -load -Xclang %plugin -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-print-after=schedule -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=TREE
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -o %t.new
// RUN: %t.new | diff %t.expected -
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DMAIN -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs -o %t.forced
// RUN: %t.forced | diff %t.expected -

// A filter along rows: how many channels are a parameter.
// CHECK: :[[@LINE+3]]:3: remark: loops reordered: coalesced,
// TREE: domain: {{.*}}Stmt2[i0, i1, i2] : p2 >= p1 and p3 >= 1 and 0 <= i0 < p0 and 0 <= i1 < p4 and 0 <= i2 < p1 }
void along(int h, int w, int channels, int taps, const float *in, const float *f, float *out) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w - taps + 1; x++)
      for (int k = 0; k < channels; k++) {
        float s = 0;
        for (int d = 0; d < taps; d++) s += in[(y * w + x + d) * channels + k] * f[d];
        out[(y * w + x) * channels + k] = s;
      }
}

// The same for three channels, down columns: what is written and read has rows of three elements.
// CHECK: :[[@LINE+3]]:3: remark: loops reordered: coalesced,
// TREE: domain: {{.*}}Stmt2[i0, i1, i2] : p2 >= 1 and 0 <= i0 <= -p0 + p1 and 0 <= i1 < 3p2 and 0 <= i2 < p0 }
void down(int h, int w, int taps, const float *in, const float *f, float *out) {
  for (int y = 0; y < h - taps + 1; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < 3; k++) {
        float s = 0;
        for (int d = 0; d < taps; d++) s += in[((y + d) * w + x) * 3 + k] * f[d];
        out[(y * w + x) * 3 + k] = s;
      }
}

// An array that is written and read in other places of its rows: these are one subscript where the number is known.
// TREE: domain: {{.*}}Stmt0[i0, i1, i2] : p2 >= 3 and 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 <= 3p2 - 7 }
void in_place(int h, int w, int steps, double (*a)[w][3]) {
  for (int t = 0; t < steps; t++)
    for (int y = 0; y < h; y++)
      for (int x = 1; x < w - 1; x++)
        for (int k = 0; k < 3; k++)
          a[y][x][k] = (a[y][x - 1][k] + a[y][x][k] + a[y][x + 1][k]) * 0.25;
}

// The loop over pixels may be outside of another one that goes along neither, where no dependence leads along it.
// CHECK: :[[@LINE+3]]:3: remark: loops reordered: coalesced,
// TREE: domain: {{.*}}Stmt2[i0, i1, i2] : p0 >= 1 and p3 >= 1 and 0 <= i0 <= -p1 + p2 and 0 <= i1 < p4 and 0 <= i2 < p1 }
void columns(int h, int w, int channels, int taps, const float *in, const float *f, float *out) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h - taps + 1; y++)
      for (int k = 0; k < channels; k++) {
        float s = 0;
        for (int d = 0; d < taps; d++) s += in[((y + d) * w + x) * channels + k] * f[d];
        out[(y * w + x) * channels + k] = s;
      }
}

// Bytes, whose sums are integers: nothing is asked of the number of channels.
// CHECK: :[[@LINE+3]]:3: remark: loops reordered: coalesced, distributed, scalars in arrays for strips of
// CHECK: tested at run time: it pays where argument 4 >= {{[0-9]+}} and argument 1 >= {{[0-9]+}} and (argument 2 - argument 4 + 1) * argument 3 >= {{[0-9]+}} (
void both(int h, int w, int channels, int size, const unsigned char *in, const int *f, unsigned char *out) {
  for (int y = 0; y < h - size + 1; y++)
    for (int x = 0; x < w - size + 1; x++)
      for (int k = 0; k < channels; k++) {
        int s = 0;
        for (int e = 0; e < size; e++)
          for (int d = 0; d < size; d++) s += in[((y + e) * w + x + d) * channels + k] * f[e * size + d];
        out[(y * w + x) * channels + k] = s >> 8;
      }
}

// Not here: a column is made of the one before.
// TREE-NOT: 0 <= i0 <= -p1 + p2 and 0 <= i1 < p4
// CHECK-NOT: :[[@LINE+2]]:3: remark: loops reordered: coalesced
void columns_in_place(int h, int w, int channels, float *a) {
  for (int x = 1; x < w; x++)
    for (int y = 1; y < h; y++)
      for (int k = 0; k < channels; k++)
        a[(y * w + x) * channels + k] += a[((y - 1) * w + x - 1) * channels + k] * 0.5f + a[(y * w + x - 1) * channels + k];
}

// Rows are the outermost subscript here: what the loop over all of them touches is more than one row.
// CHECK: :[[@LINE+2]]:3: remark: loops reordered: coalesced,
void one_row(int n, int channels, int first, int taps, const float *in, const float *f, float *out) {
  for (int x = first; x < n; x++)
    for (int k = 0; k < channels; k++) {
      float s = 0;
      for (int d = 0; d < taps; d++) s += in[(x + d) * channels + k] * f[d];
      out[x * channels + k] = s;
    }
}

// Each pixel is made of the one before it: along the channels the original runs in vectors, where there are many.
// CHECK-NOT: :[[@LINE+2]]:3: remark: loops reordered: coalesced, tiled
void along_in_place(int h, int w, int channels, float *a) {
  for (int y = 0; y < h; y++)
    for (int x = 1; x < w; x++)
      for (int k = 0; k < channels; k++)
        a[(y * w + x) * channels + k] += a[(y * w + x - 1) * channels + k] * 0.5f;
}

// What works on single elements pays where rows are short, which is tested.
// CHECK: :[[@LINE+3]]:3: remark: loops reordered: coalesced, vectorizable
// CHECK: tested at run time: it pays where {{.*}}argument 3 <= {{[0-9]+}} and argument 2 * argument 3 >= {{[0-9]+}}
void scale(int h, int w, int channels, const float *in, const float *f, float *out) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < channels; k++)
        out[(y * w + x) * channels + k] = in[(y * w + x) * channels + k] * f[0] + f[1];
}

// Two numbers of channels: both have to be small.
// CHECK: :[[@LINE+3]]:3: remark: loops reordered: coalesced
// CHECK: pays where {{.*}}argument 3 <= {{[0-9]+}} and {{(.* and )?}}argument 4 <= {{[0-9]+}} and
void both_scaled(int h, int w, int c, int d, float *restrict a, float *restrict b) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < c; k++) a[(y * w + x) * c + k] *= 2;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < d; k++) b[(y * w + x) * d + k] *= 3;
}

// Rows of pairs are written, and planes of them are read, the first of which may be the same memory: what is written
// is told in rows where new code counts elements.
// CHECK: reordered: coalesced
// CHECK: do not overlap
__attribute__((noinline)) void planes(int rows, int count, const unsigned short *in, unsigned short *out) {
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < 2; k++) {
      unsigned short sum = 0;
      for (int t = 0; t < count; t++)
        sum += in[((t + 1) * rows + i) * 2 + k];
      out[(rows + i) * 2 + k] = sum;
    }
}

// Not where a counter is a value, where another array goes along the channels alone, or where rows have more elements
// than the loop goes along.
// TREE-NOT: p{{[0-9]}} and 0 <= i0 < p0 and 0 <= i1 < p3 }
// CHECK-NOT: reordered: coalesced
void not_these(int h, int w, int channels, const float *in, const float *f, float *out) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < channels; k++)
        out[(y * w + x) * channels + k] = in[(y * w + x) * channels + k] * (float)k;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < channels; k++)
        out[(y * w + x) * channels + k] += in[(y * w + x) * channels + k] * f[k];
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < channels - 1; k++)
        out[(y * w + x) * channels + k] -= in[(y * w + x) * channels + k] * f[0];
}

#ifdef MAIN
#include <stdio.h>

#define LONGEST (40 * 30 * 20 + 5000)
static float from_floats[LONGEST], in[LONGEST], out[LONGEST], f[LONGEST];
static double a[LONGEST];
static unsigned char from[LONGEST], bytes[LONGEST];
static int taps_of_bytes[100];

static void print(void) {
  double sum = 0;
  for (int k = 0; k < LONGEST; k++) sum = sum * 0.999 + out[k] + a[k] + bytes[k];
  printf("%a\n", sum);
}

int main(void) {
  for (int k = 0; k < LONGEST; k++) in[k] = k * 37 % 101, out[k] = k * 7 % 23, f[k] = k * 5 % 7 - 2.5f, a[k] = k * 11 % 13, from[k] = k * 37 % 251;
  for (int k = 0; k < 100; k++) taps_of_bytes[k] = k * 7 % 61 - 9;
  for (int h = 0; h <= 40; h += 10)
    for (int w = 0; w <= 30; w += w < 6 ? 1 : 12)
      for (int channels = 0; channels <= 20; channels += channels < 6 ? 1 : 7)
        for (int taps = 0; taps <= 9; taps += taps < 4 ? 1 : 5) {
          along(h, w, channels, taps, in, f, out);
          print();
          if (channels <= 20) down(h, w, taps, in, f, out);
          print();
          in_place(h, w, taps % 3, (double (*)[w][3])a);
          columns(h, w, channels, taps, in, f, out);
          print();
          columns_in_place(h, w, channels, out);
          along_in_place(h, w, channels, out);
          print();
          for (int apart = 0; apart <= 2000; apart = 2 * apart + 30) {
            one_row(h * w, channels, taps % 3, taps, out + apart, f, out);
            one_row(h * w, channels, taps % 3, taps, out, f, out + apart);
          }
          print();
          both(h, w, channels, taps, from, taps_of_bytes, bytes);
          print();
          scale(h, w, channels, out, f, out + channels);
          both_scaled(h, w / 2, channels, taps, out, from_floats);
          scale(h, w, channels, in, f, out);
          not_these(h, w, channels, in, f, out);
          print();
          planes(w, taps + 10 * channels, (unsigned short *)bytes, (unsigned short *)bytes + channels % 3);
          print();
          // They overlap.
          along(h / 2, w, channels, taps, out + 1, f, out);
          print();
        }
}
#endif
