// Sizes and pointers that a loop reads from memory, and may overwrite as far as types tell: bytes, and integers beside
// integers. They are read once where the loop's stores do not meet them, which is tested before; a copy of the loop is
// the other branch.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<polyrs-scops>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %opt -passes='polyrs<print-after=canonicalize>' -polyrs-only-func=image -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=CLONE
// RUN: %clang -O3 -DMAIN %s -o %t.old && %t.old > %t.expected
// RUN: %clang -O3 -DMAIN -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs %s -o %t.new && %t.new | diff - %t.expected

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int w, h;
  unsigned char *px;
} Image;

// CHECK-LABEL: scop image:0
// CHECK: array Arr{{.}} memory i8 [*, p{{.}}]
// CHECK: must_write: {{.*}}[o0 = i0, o1 = i1] }
// CLONE: icmp sle i128
// CLONE: br i1 %{{.*}}met
__attribute__((noinline)) void image(Image *o, const Image *a) {
  for (int y = 0; y < o->h; y++)
    for (int x = 0; x < o->w; x++)
      o->px[y * o->w + x] = 255 - a->px[y * a->w + x];
}

// Sizes that are read again behind tests of counters: what was read before the loops will do.
// CHECK-LABEL: scop blur:0
// CHECK: array Arr{{.}} memory i8 [*, p{{.}}]
// CHECK: must_write: {{.*}}[o0 = i0, o1 = i1] }
__attribute__((noinline)) void blur(const Image *a, Image *o, int r) {
  for (int y = 0; y < a->h; y++)
    for (int x = 0; x < a->w; x++) {
      int sum = a->px[y * a->w + x];
      for (int d = -r; d <= r; d++)
        if (y + d >= 0 && y + d < a->h)
          sum += a->px[(y + d) * a->w + x];
      o->px[y * o->w + x] = sum / (2 * r + 1);
    }
}

// Rows that count down, and a size of more bits.
typedef struct {
  long rows, cols, *data;
} Table;
// CHECK-LABEL: scop table:0
// CHECK: array Arr{{.}} memory i64 [*, p{{.}}]
__attribute__((noinline)) void table(Table *o, const Table *a) {
  for (long i = o->rows - 1; i >= 0; i--)
    for (long j = 0; j < o->cols; j++)
      o->data[i * o->cols + j] += a->data[j * a->cols + i];
}

// A call may write anything; what an indirect store writes is not known.
// CHECK-NOT: scop calls:
// CHECK-NOT: scop indirect:
void what(void);
void calls(Image *o, const Image *a) {
  for (int y = 0; y < o->h; y++)
    for (int x = 0; x < o->w; x++) {
      o->px[y * o->w + x] = a->px[y * a->w + x];
      what();
    }
}
void indirect(Image *o, const Image *a, const int *at) {
  for (int y = 0; y < o->h; y++)
    for (int x = 0; x < o->w; x++)
      o->px[at[x]] = a->px[y * a->w + x];
}

#ifdef MAIN
void what(void) {}
static void show(const void *p, size_t n) {
  unsigned long hash = 1;
  for (size_t k = 0; k < n; k++)
    hash = hash * 31 + ((const unsigned char *)p)[k];
  printf("%lx\n", hash);
}
int main(void) {
  static unsigned char from[64 * 64], to[64 * 64], all[4096];
  for (int k = 0; k < 64 * 64; k++)
    from[k] = k * 7 % 251;
  Image a = {64, 48, from}, o = {64, 48, to};
  image(&o, &a);
  show(to, sizeof to);
  blur(&a, &o, 3);
  show(to, sizeof to);
  // What is blurred are the sizes.
  for (int before = 28; before < 40; before++) {
    for (int k = 0; k < 4096; k++)
      all[k] = 3, from[k] = k % 5 == 0;
    Image *in = (Image *)(all + 128);
    *in = (Image){6, 5, from};
    o = (Image){6, 5, all + 128 - before};
    blur(in, &o, 1);
    in->px = NULL;
    show(all, sizeof all);
  }
  // The image's own sizes lie behind its first pixels: it changes while it is written.
  for (int before = 55; before < 70; before++) {
    for (int k = 0; k < 4096; k++)
      all[k] = 255 - k % 3, from[k] = 255 - k % 5;
    Image *in = (Image *)(all + 128);
    *in = (Image){9, 7, all + 128 - before};
    image(in, &a);
    in->px = NULL;
    show(all, sizeof all);
  }
  // The other image's sizes do.
  for (int before = 64; before < 76; before++) {
    memset(from, 255, sizeof from);
    memset(from + 5, 254, 7);
    Image *in = (Image *)(all + 1024);
    *in = (Image){5, 6, from};
    o = (Image){12, 6, all + 1024 - before};
    image(&o, in);
    in->px = NULL;
    show(all, sizeof all);
  }
  // No rows, and nowhere to look.
  a = (Image){0, 0, 0};
  image(&a, NULL);
  static long cells[40 * 40], more[40 * 40];
  for (int k = 0; k < 1600; k++)
    more[k] = k;
  Table s = {40, 40, more}, t = {40, 40, cells};
  table(&t, &s);
  show(cells, sizeof cells);
  // Rows get shorter.
  for (int before = 14; before < 18; before++) {
    long *own = calloc(64, sizeof(long)), less[16];
    memset(less, 255, sizeof less);
    *(Table *)(own + 32) = (Table){4, 4, own + 32 - before};
    s = (Table){4, 4, less};
    table((Table *)(own + 32), &s);
    own[34] = 0;
    show(own, 64 * sizeof(long));
    free(own);
  }
  return 0;
}
#endif
