// Rows of `w * c` elements that begin at `w / 2 * c`: they would be rows of an array only if `w / 2` was 0. That is no
// assumption that a run-time check could make, since no loop runs long then.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -gline-tables-only -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s

// CHECK-NOT: loops reordered
// CHECK: offset-of-half.c:[[#@LINE+5]]:{{.*}}: remark: loops not optimized: this subscript is not an affine function
void half(unsigned char *to, const unsigned char *from, long w, long h, long c) {
  for (long y = 0; y < h; y++)
    for (long x = 0; x < w; x++)
      for (long k = 0; k < c; k++)
        to[(y * w + x) * c + k] = from[(y * w + x) * c + k + w / 2 * c];
}
// CHECK-NOT: loops reordered
