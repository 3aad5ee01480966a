// Elements whose rows are shorter than a cache line share lines: to take pixels apart, the original reads each line
// once per plane, in vectors, and what is loaded in between is put aside. A new order gains nothing, but that rows of a
// few elements are no loops of their own.

// RUN: %clang -O3 -march=x86-64-v4 -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs -Rpass-analysis=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s

// CHECK-NOT: loops reordered: interchanged
// CHECK: pixels.c:[[#@LINE+3]]:3: remark: loops reordered: coalesced
// CHECK: pays where argument 3 <= 4 and
void planes(const unsigned char *restrict pixels, unsigned char *restrict out, int w, int h) {
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        out[c * w * h + y * w + x] = pixels[(y * w + x) * 3 + c];
}

// Along rows every other element is taken, in vectors as well.
// CHECK: pixels.c:[[#@LINE+2]]:3: remark: loops reordered: interchanged
void coarser(const double *restrict fine, double *restrict coarse, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      coarse[i * n + j] = fine[2 * i * 2 * n + 2 * j] + fine[2 * i * 2 * n + 2 * j + 1];
}
