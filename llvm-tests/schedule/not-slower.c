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

// A value is computed in front of the arms that use it; what is written twice is written in the order of the
// iterations, which vectors keep: LLVM runs this in vectors as it is.
// CHECK: not-slower.c:[[#@LINE+2]]:3: remark: order of the loops kept
void written_twice(float *a, float *b, long w, long h) {
  for (long y = 0; y < h; y++)
    for (long x = 1; x < w - 1; x++) {
      float v = a[y * w + x - 1] * a[y * w + x - 1] + 1;
      b[y * w + x + 1] = v;
      if (x < y)
        b[y * w + x] = v + 0.25f;
      else
        b[y * w + x] = v + v;
    }
}

// The model keeps `v` in the element that is overwritten last; the original keeps it in a register.
// CHECK: not-slower.c:[[#@LINE+2]]:3: remark: order of the loops kept
void every_second(short *a, short *b, const short *c, int w, int h) {
  for (int y = 1; y < h; y++)
    for (int x = 1; x < w - 1; x++) {
      int v = c[y * w + x] / 7, u = v > 9 ? 9 : v;
      if (x & 1) {
        a[y * w + x] = u + 2;
        if (c[y * w + x] > 0)
          b[y * w + x] = v + u;
      }
      a[y * w + x - 1] = v + 2;
    }
}

// New code would ask in each iteration for a remainder, which no vector computes.
// CHECK: not-slower.c:[[#@LINE+2]]:3: remark: order of the loops kept
void every_third(float *a, float *b, const float *c, int w, int h) {
  for (int y = 0; y < h; y++)
    for (int x = 1; x < w - 1; x++) {
      float v = (short)c[y * w + x];
      b[y * w + x] = v;
      if ((y + x) % 3 == 0) {
        a[y * w + x] = v + 0.25f;
        a[y * w + x] = v + v;
      } else if (y > 2)
        a[y * w + x] = v + b[y * w + x - 1];
      else
        b[y * w + x] = v + v;
    }
}

// The next iteration waits for a minimum and an addition, and not for the division beside it.
// CHECK: not-slower.c:[[#@LINE+2]]:3: remark: order of the loops kept
void beside_a_chain(unsigned char *a, unsigned char *b, long w, long h) {
  for (int g = 0; g < 3; g++)
    for (long y = 0; y < h; y++)
      for (long x = 1; x < w - 1; x++) {
        int v = b[y * w + x] > 9 ? 9 : b[y * w + x];
        if (x < y) {
          b[y * w + x - 1] = v / 7 + 3;
          if (y > 2)
            a[y * w + x] = v + 7;
        }
        b[y * w + x + 1] = v + 3;
      }
}

// Counts behind conditions are sums: LLVM runs this in vectors as it is.
// CHECK: not-slower.c:[[#@LINE+2]]:3: remark: order of the loops kept
void places(const float *a, int *place, int n) {
  for (int i = 0; i < n; i++) {
    int r = 0;
    for (int j = 0; j < n; j++)
      if (a[j] < a[i] || (a[j] == a[i] && j < i))
        r++;
    place[i] = r;
  }
}

// What is stored behind a condition is stored and loaded again in each of several copies of an iteration.
// CHECK: not-slower.c:[[#@LINE+3]]:3: remark: order of the loops kept
int increasing(const int *a, int *length, int n) {
  int best = 0;
  for (int i = 0; i < n; i++) {
    length[i] = 1;
    for (int j = 0; j < i; j++)
      if (a[j] < a[i] && length[j] + 1 > length[i])
        length[i] = length[j] + 1;
    if (length[i] > best)
      best = length[i];
  }
  return best;
}

// Branches on data that are not foreseen keep copies of an iteration from running beside each other.
// CHECK: not-slower.c:[[#@LINE+2]]:3: remark: order of the loops kept
void either(const double *x, const double *y, double *out, int n) {
  for (int i = 0; i < n; i++) {
    double t = 0;
    for (int j = 0; j < n; j++)
      if (x[j] < x[i] || y[j] < y[i])
        t += y[j];
    out[i] = t;
  }
}
