// Loops that are kept, since new ones would be slower: what the original waits for, and what it moves, is not more than
// it is.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -gline-tables-only -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s

// One half of a memory is computed from the other one: each row touches two places, and not all rows between them.
// CHECK: not-slower.c:[[#@LINE+2]]:3: remark: order of the loops kept
void halves(float *p, long w, long h) {
  for (long y = 0; y < h; y++)
    for (long x = 0; x < w; x++)
      p[(y * w + x) * 2 + h * w * 2] = p[(y * w + x) * 2] + 1;
}

// What is read was written two iterations before, but of nothing that was read: iterations run beside each other.
// CHECK: not-slower.c:[[#@LINE+2]]:3: remark: order of the loops kept
void no_chain(float *a, float *b, const float *c, long w, long h) {
  for (long y = 0; y < h; y++)
    for (long x = 1; x < w - 1; x++) {
      float v = (float)(int)(c[y * w + x] * 3);
      if (y > 2) {
        a[y * w + x] = v + b[y * w + x - 1];
        if (v < c[y * w + x])
          a[y * w + x] = 0;
      }
      b[y * w + x + 1] = v + 1.5f;
    }
}

// Four iterations beside each other read two elements: no vector reads one, and the row begins in the middle.
// CHECK: not-slower.c:[[#@LINE+2]]:3: remark: order of the loops kept
void askew(float *out, const float *in, int w, int h) {
  for (int y = 0; y < h; y++)
    for (int x = 1; x < w; x++)
      out[y * w + x] = in[y * w + x / 4];
}
