// Accesses of several elements stay in their row with all of them, or the rows are not taken for rows: what the last
// one touches may be the first element of the next row.
//
// RUN: %clang -O0 -march=x86-64-v3 -ffp-contract=off %s -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.new
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable \
// RUN:   -mllvm -polyrs-tile-sizes=4,4 %s -o %t.forced
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: %t.forced > %t.forced.txt
// RUN: diff %t.old.txt %t.new.txt
// RUN: diff %t.old.txt %t.forced.txt
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-print-after=scops -c %s -o /dev/null 2>&1 | FileCheck %s

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define KERNEL __attribute__((noinline))

typedef float Four __attribute__((vector_size(16), aligned(4)));

// Two elements of 4 bytes, the second of which is the first one of what is written in the next iteration: a row.
// CHECK-LABEL: scop shifted:
// CHECK: array Arr0 memory i32 [*]
KERNEL void shifted(unsigned char *p, long n) {
  for (int t = 0; t < 20; t++)
    for (long i = 0; i < n; i++) {
      uint64_t v;
      memcpy(&v, p + 8 * i + 4, 8);
      v = v * 3 + 1;
      memcpy(p + 8 * i, &v, 8);
    }
}

// The last three of four elements behind a row of known length.
// CHECK-LABEL: scop behind_rows:
// CHECK: array Arr{{[0-9]}} memory i32 [*]
KERNEL void behind_rows(float *restrict p, const float *restrict q) {
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < 200; j++) {
      float v = q[j * 200 + i];
      *(Four *)&p[j * 200 + i] = (Four){v, v, v, v};
    }
}

// The same, with rows that are long enough.
// CHECK-LABEL: scop in_rows:
// CHECK: array Arr{{[0-9]}} memory i32 [*, 203]
KERNEL void in_rows(float *restrict p, const float *restrict q) {
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < 200; j++) {
      float v = q[j * 203 + i];
      *(Four *)&p[j * 203 + i] = (Four){v, v, v, v};
    }
}

// Rows of a length that is known when the program runs: tested before.
KERNEL void unknown_rows(float *restrict p, const float *restrict q, int n, int s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float v = q[j * s + i];
      *(Four *)&p[j * s + i] = (Four){v, v, v, v};
    }
}

KERNEL void pairs(float *restrict p, const float *restrict q, int n, int s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float w[2] = {q[j * s + i], 1.0f};
      memcpy(&p[j * s + i], w, 8);
    }
}

// Rows behind pointers, each of which begins where the last vector of the one before ends.
KERNEL void rows_behind_pointers(float **restrict p, float **restrict q, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float v = q[j][i];
      *(Four *)&p[j][i] = (Four){v, v, v, v};
    }
}

static float p[70000], q[70000];

static void fill(void) {
  for (int i = 0; i < 70000; i++) {
    p[i] = (float)(i * 7 % 61);
    q[i] = (float)(i * 5 % 31);
  }
}

static void look(void) {
  uint32_t h = 0;
  for (int i = 0; i < 70000; i++) {
    uint32_t x;
    memcpy(&x, &p[i], 4);
    h = h * 31 + x;
  }
  printf("%08x\n", h);
}

int main(void) {
  fill();
  shifted((unsigned char *)p, 30000);
  look();
  fill();
  behind_rows(p, q);
  look();
  fill();
  in_rows(p, q);
  look();
  for (int s = 200; s < 206; s++) {
    fill();
    unknown_rows(p, q, 200, s);
    look();
    fill();
    pairs(p, q, 200, s);
    look();
    static float *to[200], *from[200];
    for (int i = 0; i < 200; i++) {
      to[i] = p + s * i;
      from[i] = q + 200 * i;
    }
    fill();
    rows_behind_pointers(to, from, 200);
    look();
  }
}
