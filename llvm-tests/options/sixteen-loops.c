// A nest of 16 loops: the choices of loops to jam were as many as factors to the power of the depth, gigabytes that
// ended the compiler.

// RUN: bash -c 'ulimit -v 2000000; %clang -O3 -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o' 2>&1 | FileCheck %s
// CHECK: remark: {{loops reordered|order of the loops kept|loops not optimized}}

void deep(double *a, double *b, long n) {
  for (long i0 = 0; i0 < n; i0++)
  for (long i1 = 0; i1 < n; i1++)
  for (long i2 = 0; i2 < n; i2++)
  for (long i3 = 0; i3 < n; i3++)
  for (long i4 = 0; i4 < n; i4++)
  for (long i5 = 0; i5 < n; i5++)
  for (long i6 = 0; i6 < n; i6++)
  for (long i7 = 0; i7 < n; i7++)
  for (long i8 = 0; i8 < n; i8++)
  for (long i9 = 0; i9 < n; i9++)
  for (long i10 = 0; i10 < n; i10++)
  for (long i11 = 0; i11 < n; i11++)
  for (long i12 = 0; i12 < n; i12++)
  for (long i13 = 0; i13 < n; i13++)
  for (long i14 = 0; i14 < n; i14++)
  for (long i15 = 0; i15 < n; i15++)
  a[i0 + 2 * i1 + 3 * i2 + 4 * i3 + 5 * i4 + 6 * i5 + 7 * i6 + 8 * i7 + 9 * i8 + 10 * i9 + 11 * i10 + 12 * i11 + 13 * i12 + 14 * i13 + 15 * i14 + 16 * i15] +=
      b[i0 + i1 + i2 + i3 + i4 + i5 + i6 + i7 + i8 + i9 + i10 + i11 + i12 + i13 + i14 + i15];
}
