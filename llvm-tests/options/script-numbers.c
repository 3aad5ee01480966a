// Numbers of a user's order that do not fit 64 bits are no code: the loops stay as they are, whatever the order is
// called. Large ones that fit are taken.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clang -O3 w.c -o plain && ./plain > plain.txt
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=wraps.polyrs -Rpass-missed=polyrs w.c -o new 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: ./new | cmp - plain.txt
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=third.polyrs -Rpass-missed=polyrs w.c -o new 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: ./new | cmp - plain.txt
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=tiles.polyrs w.c -o new
// RUN: ./new | cmp - plain.txt
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=fits.polyrs -Rpass=polyrs w.c -o new 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: ./new | cmp - plain.txt

// REFUSED: function 'st': the order asked for is not taken
// REFUSED-SAME: a number does not fit 64 bits
// TAKEN: w.c:4:3: remark: loops reordered: by script

//--- wraps.polyrs
region st
skew j i 9223372036854775807
//--- third.polyrs
region st
skew j i 3074457345618258602
//--- tiles.polyrs
region st
skew i0 i1 4611686018427387904
tile i0 4611686018427387904
//--- fits.polyrs
region st
skew j i 1048576
tile i j 4 4
//--- w.c
#include <stdio.h>
static double A[64][64];
__attribute__((noinline)) void st(int n) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      A[i][j] = 0.5 * (A[i - 1][j] + A[i][j - 1]);
}
int main(void) {
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      A[i][j] = i * 7 % 5 + j * 3 % 11;
  st(64);
  double s = 0;
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      s += A[i][j] * (i + 2 * j);
  printf("%a\n", s);
}
