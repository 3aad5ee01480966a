// A pointer that begins where a comparison of two others says: what it is in each iteration has no expression that new
// code could compute, which is told and no internal error.

// RUN: %clang -O3 -S -o /dev/null -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs -Rpass-missed=polyrs %s 2>&1 | FileCheck %s
// CHECK: loops not optimized: this subscript is not an affine function{{.*}}a pointer that moves on

void copied(char *to, char *wide, long n) {
  char *end = to + n;
  if (to <= wide) {
    long skipped = wide - to;
    to += skipped;
  }
  while (to < end)
    *to++ = 0;
}
