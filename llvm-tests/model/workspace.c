// Several arrays in one piece of memory, each with rows of its own length: what loops do not change of an address, but
// for whole rows, is where an array begins. That the arrays do not overlap is tested at run time; where they do, the
// original code runs.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<print-after=scops>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -DMAIN %s -o %t.original && %t.original > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -DMAIN -fpass-plugin=%plugin -Xclang -load -Xclang %plugin \
// RUN:   -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs -mllvm -polyrs-trace %s -o %t.new
// RUN: %t.new > %t.printed 2> %t.said && diff %t.expected %t.printed
// RUN: FileCheck --check-prefix=RAN %s < %t.said
// RUN: %clang -O3 -march=x86-64-v3 -g -fpass-plugin=%plugin -Rpass-analysis=polyrs -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck --check-prefix=TOLD %s

// TOLD: remark: estimated: {{.*}} assumed: a and a + n * m do not overlap; tested before the loops

#include <stdio.h>

// CHECK-LABEL: scop product:0
// CHECK-NEXT: params: p0, p1, p2{{$}}
// CHECK: array Arr0 memory f64 [*, p2]
// CHECK-NEXT: array Arr1 view f64 [*, p1] at 8 p0 p2
// CHECK: alias: Arr0, Arr1
// CHECK-LABEL: scop halves:0
// CHECK: array Arr0 view i8 [*, p1] at p0 p2
// CHECK-NEXT: array Arr1 memory i8 [*, 2p0]
// CHECK-LABEL: scop behind:0
// CHECK: array Arr0 view f64 [*, p0] at 8 p1
// CHECK-NEXT: array Arr1 memory f64 [*]
// CHECK-NEXT: alias: Arr0, Arr1
// CHECK-LABEL: scop whole_rows:0
// CHECK: array Arr0 memory f64 [*, p0]
// CHECK-NOT: array
// CHECK: stmt
// CHECK-LABEL: scop both_ways:0
// CHECK: array Arr0 memory f64 [*, p1]
// CHECK-NEXT: array Arr1 memory f64 [*, p1]
// CHECK-NEXT: array Arr2 memory f64 [*, p0]
// CHECK-NOT: alias
// Two arrays that begin at one place and of which one is written are one, with rows of two lengths: nothing but a row
// is a SCoP.
// CHECK-LABEL: scop in_place:0
// CHECK: domain: {{.*}} { Stmt0[i0] :
// CHECK-NOT: scop

// Matrices of `n` by `m`, `m` by `p` and `n` by `p` elements; the last two have rows of one length.
__attribute__((noinline)) void product(double *work, int n, int m, int p) {
  double *a = work, *b = work + n * m, *c = b + m * p;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < p; j++)
      for (int k = 0; k < m; k++)
        c[i * p + j] += a[i * m + k] * b[k * p + j];
}

// The colours of an image lie behind its brightness, at half the size.
__attribute__((noinline)) void halves(unsigned char *image, const unsigned char *in, int w, int h) {
  unsigned char *colours = image + w * h;
  for (int x = 0; x < w / 2; x++)
    for (int y = 0; y < h / 2; y++)
      colours[y * (w / 2) + x] = (in[2 * y * w + 2 * x] + in[2 * y * w + 2 * x + 1]) / 2;
}

// A vector, and a matrix behind it.
__attribute__((noinline)) void behind(double *work, long n, long m) {
  double *x = work, *a = work + n;
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      x[i] += a[i * m + j];
}

// Matrices with rows of one length are one array.
__attribute__((noinline)) void whole_rows(double *work, long n, long m) {
  double *a = work, *b = work + n * m;
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      b[i * m + j] += a[i * m + j];
}

// What is only read may be seen as rows of two lengths.
__attribute__((noinline)) void both_ways(double *restrict to, const double *from, long n, long m) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      to[i * m + j] += from[i * m + j] * from[j * n + i];
}

__attribute__((noinline)) void in_place(double *a, long n, long m) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      a[i * m + j] += a[j * n + i];
}

// RAN: polyrs: product:0: new code
// RAN-NEXT: polyrs: halves:0: original code
// RAN-NEXT: polyrs: halves:0: new code
// RAN-NEXT: polyrs: behind:0: new code
// RAN-NEXT: polyrs: whole_rows:0: new code
// RAN-NEXT: polyrs: both_ways:0: new code
#ifdef MAIN
static double work[9000];
static unsigned char image[9000];

static void show(const char *name) {
  double sum = 0;
  for (int k = 0; k < 9000; k++)
    sum = sum * 0.999 + work[k] + image[k];
  printf("%s %.17g\n", name, sum);
}

int main(void) {
  for (int k = 0; k < 9000; k++)
    work[k] = k * 37 % 101 / 8.0, image[k] = k * 7 % 251;
  product(work, 30, 41, 23);
  show("product");
  halves(image, image + 600, 40, 30); // the two overlap
  show("overlapping halves");
  halves(image, image + 4000, 40, 30);
  show("halves");
  behind(work, 60, 33);
  show("behind");
  whole_rows(work, 60, 33);
  show("whole rows");
  both_ways(work + 4000, work, 37, 41);
  show("both ways");
  in_place(work, 37, 41);
  show("in place");
}
#endif
